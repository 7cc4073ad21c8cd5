"""Players: scripted, searching and learned policies, and the arena in which they are compared.

`agents.registry.make_agent("greedy")` makes an agent by name. What an agent is says
`burraco_env.agent.Agent`. Kernels here use `burraco_env._jit`, so that a change in any file of this
folder or of the package recompiles them.
"""
