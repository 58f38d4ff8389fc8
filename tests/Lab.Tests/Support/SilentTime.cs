namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The system clock without periodic timers, which silences progress messages.</summary>
internal sealed class SilentTime : TimeProvider
{
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
        base.CreateTimer(
            callback,
            state,
            period > TimeSpan.Zero ? Timeout.InfiniteTimeSpan : dueTime,
            Timeout.InfiniteTimeSpan
        );
}
