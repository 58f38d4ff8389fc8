namespace DroneDelivery.Model.Simulation;

/// <summary>Where a simulation is given up. Without any it goes on until its end.</summary>
/// <param name="Events">At most so many; null: any number.</param>
/// <param name="Left">Nobody waits for it any more.</param>
public readonly record struct SimulationLimits(long? Events = null, CancellationToken Left = default)
{
    // So that a look costs nothing beside the events.
    private const long Every = 1024;

    /// <param name="events">Events so far, ends of locks among them.</param>
    internal void Check(long events)
    {
        if (events % Every == 0)
            Left.ThrowIfCancellationRequested();
        if (events > Events)
            throw new TooManyEventsException(Events.Value);
    }
}

/// <summary>A simulation has come to its limit.</summary>
public sealed class TooManyEventsException(long most) : Exception($"More than {most} events.");
