namespace DroneDelivery.LocalServiceBus.Wire;

/// <summary>One receiving client's link at one moment.</summary>
/// <param name="Connection">Id of the connection.</param>
/// <param name="Link">Name of the link, as the client chose it.</param>
/// <param name="Credit">Messages the client is ready to take.</param>
/// <param name="Unsettled">Messages handed out on the link and not settled.</param>
/// <param name="MaxUnsettled">The most that <paramref name="Unsettled"/> has been.</param>
internal sealed record LinkState(string Connection, string Link, uint Credit, int Unsettled, int MaxUnsettled);
