namespace DroneDelivery.LabAgent.Gate;

/// <summary>
/// The protocol in which a replica reserves CPU time of the lab over a Unix domain socket, in the format of <see cref="BinaryWriter"/>.
/// <list type="number">
/// <item>Replica, once: the byte <see cref="Version"/>, the cost of a hold in microseconds (int), its name.</item>
/// <item>Lab, once: the reason for a rejection, or an empty string.</item>
/// <item>Replica, for each hold: an id of its choice (int). Lab, when the hold ends: the same id.</item>
/// </list>
/// The lab compiles the same files.
/// </summary>
/// <remarks>
/// Both ends read on a dedicated thread instead of asynchronously: thread switches dominate the cost of a hold, and .NET's asynchronous
/// sockets need two more.
/// </remarks>
internal static class GateProtocol
{
    public const byte Version = 1;
}
