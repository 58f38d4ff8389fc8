namespace DroneDelivery.Lab.Tests.Support;

/// <summary>The clock, but nothing comes again and again: what says every ten seconds how far it is stays silent.</summary>
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
