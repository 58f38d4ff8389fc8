namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>A snapshot of a receiving client's link.</summary>
/// <param name="Credit">The link credit.</param>
/// <param name="Unsettled">The number of delivered but unsettled messages.</param>
/// <param name="MaxUnsettled">The maximum of <paramref name="Unsettled"/> so far.</param>
internal sealed record LinkState(string Connection, string Link, uint Credit, int Unsettled, int MaxUnsettled);
