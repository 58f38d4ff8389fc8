using System.Net.Sockets;

namespace DroneDelivery.Amqp;

/// <summary>What the network may do to us at any time, as opposed to a defect.</summary>
internal static class TransportFailure
{
    public static bool Is(Exception e) =>
        e is IOException or SocketException or OperationCanceledException or ObjectDisposedException;
}
