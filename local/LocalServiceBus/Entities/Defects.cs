namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Records internal errors. Each one ends only the smallest affected part, such as a response, a receiver, or
/// a queue, and never the process.</summary>
internal sealed class Defects
{
    private long _count;

    /// <summary>Raised with the place and the exception, on the thread of the error. Handlers must not block.</summary>
    public event Action<string, Exception>? Found;

    public long Count => Volatile.Read(ref _count);

    /// <summary>Counts an error that is reported elsewhere.</summary>
    internal void Add() => Interlocked.Increment(ref _count);

    internal void Guard(string where, Action action)
    {
        try
        {
            action();
        }
        catch (Exception error)
        {
            Report(where, error);
        }
    }

    internal ITimer StartTimer(TimeProvider time, string where, Action action, TimeSpan due, TimeSpan? every = null) =>
        time.CreateTimer(_ => Guard(where, action), null, due, every ?? Timeout.InfiniteTimeSpan);

    internal void Report(string where, Exception error)
    {
        Add();
        try
        {
            Found?.Invoke(where, error);
        }
        catch (Exception)
        {
            Add();
        }
    }
}
