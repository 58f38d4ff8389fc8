namespace DroneDelivery.LabAgent.Gate;

/// <summary>
/// How a replica asks the lab for CPU time, over a Unix domain socket, in the form of <see cref="BinaryWriter"/>.
/// <list type="number">
/// <item>Replica, once: the byte <see cref="Version"/>, the cost of a hold in microseconds (int), its name.</item>
/// <item>Lab, once: why the replica is refused; empty means welcome.</item>
/// <item>Replica, for each hold: an id of its choice (int). Lab, when the hold is over: the same id.</item>
/// </list>
/// The lab's side is compiled from the same files.
/// </summary>
/// <remarks>
/// Both ends read with a thread of their own and never asynchronously: a switch of threads is what a hold costs, and .NET's
/// asynchronous sockets take two more of them.
/// </remarks>
internal static class GateProtocol
{
    public const byte Version = 1;
}
