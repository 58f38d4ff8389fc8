using DroneDelivery.Contracts;

namespace DroneDelivery.DroneScheduler.Flights;

/// <summary>The time that a flight takes of its drone, in whole milliseconds around it, as the store counts.</summary>
internal readonly record struct BusyTime(long From, long To)
{
    public long Takes => To - From;

    public static BusyTime Of(FlightPlan plan) => new(plan.TakeOff.ToUnixTimeMilliseconds(), EndOf(plan.Landing));

    /// <summary>Rounded up: a flight that begins then begins after <paramref name="time"/>.</summary>
    public static long EndOf(DateTimeOffset time) =>
        time.ToUnixTimeMilliseconds() + (time.UtcTicks % TimeSpan.TicksPerMillisecond == 0 ? 0 : 1);
}
