using System.Net.Sockets;

namespace DroneDelivery.Amqp;

internal static class TransportFailure
{
    public static bool Is(Exception e) =>
        e is IOException or SocketException or OperationCanceledException or ObjectDisposedException;
}
