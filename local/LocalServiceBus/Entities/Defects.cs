namespace DroneDelivery.LocalServiceBus.Entities;

/// <summary>Exceptions that nobody expected, in the broker itself. Each ends the smallest thing that it happened in (an answer,
/// a receiver, at most one queue), is counted and told here, and never leaves a timer or a thread of the pool, where it would
/// end the process.</summary>
internal sealed class Defects
{
    private long _count;

    /// <summary>Told where it happened and what, on the thread where it happened. Must not block.</summary>
    public event Action<string, Exception>? Found;

    /// <summary>Since the broker's start.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>For a defect that is told to somebody else already.</summary>
    internal void Add() => Interlocked.Increment(ref _count);

    /// <summary>Does it on a timer's thread, or one of the pool, where what is thrown would end the process.</summary>
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

    /// <summary>Starts a timer whose callback is guarded in this way.</summary>
    /// <param name="every">The period; <c>null</c> for one call.</param>
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
            // A log that fails. Nobody is left to be told, but the count says so.
            Add();
        }
    }
}
