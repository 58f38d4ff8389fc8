namespace DroneDelivery.Model.Simulation;

/// <summary>When a simulation is abandoned.</summary>
/// <param name="Events">The maximum number of events; <c>null</c> for no limit.</param>
public readonly record struct SimulationLimits(long? Events = null, CancellationToken CancellationToken = default)
{
    private const long Every = 1024;

    /// <param name="events">The events so far, including lock expirations.</param>
    internal void Check(long events)
    {
        if (events % Every == 0)
            CancellationToken.ThrowIfCancellationRequested();
        if (events > Events)
            throw new TooManyEventsException(Events.Value);
    }
}

public sealed class TooManyEventsException(long most) : Exception($"More than {most} events.");
