namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A machine whose time of day is set, or that has slept: what elapses, and its timers, know nothing of it.</summary>
internal sealed class SteppedTime(ManualTimeProvider clock) : TimeProvider
{
    private long _ahead;

    public override long TimestampFrequency => clock.TimestampFrequency;

    public void Step(TimeSpan by) => Interlocked.Add(ref _ahead, by.Ticks);

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow().AddTicks(Interlocked.Read(ref _ahead));

    public override long GetTimestamp() => clock.GetTimestamp();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        clock.CreateTimer(callback, state, dueTime, period);
}
