// The cluster takes longest and mostly waits, so it begins with the first; what computes fills the time.
[assembly: CollectionBehavior(MaxParallelThreads = 4)]
