using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>The time in which a flight occupies its drone, in Unix milliseconds.</summary>
internal readonly record struct BusyTime(long From, long To)
{
    public long Duration => To - From;

    public static BusyTime Of(FlightPlan plan) => new(plan.TakeOff.ToUnixTimeMilliseconds(), EndOf(plan.Landing));

    /// <summary>Rounds up, so that the next flight doesn't begin before <paramref name="time"/>.</summary>
    public static long EndOf(DateTimeOffset time) =>
        time.ToUnixTimeMilliseconds() + (time.UtcTicks % TimeSpan.TicksPerMillisecond == 0 ? 0 : 1);
}
