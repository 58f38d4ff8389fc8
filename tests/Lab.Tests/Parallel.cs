// Most of what takes long waits for processes: two at a time would leave the cores idle.
[assembly: CollectionBehavior(MaxParallelThreads = 3)]
