namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>A clock whose timers are so late that they never come.</summary>
internal sealed class TimeWithoutTimers(ManualTimeProvider clock) : TimeProvider
{
    public override long TimestampFrequency => clock.TimestampFrequency;

    public override DateTimeOffset GetUtcNow() => clock.GetUtcNow();

    public override long GetTimestamp() => clock.GetTimestamp();

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new Never();

    private sealed class Never : ITimer
    {
        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose() { }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
