using System.Net.Sockets;

namespace DroneDelivery.Amqp;

/// <summary>Distinguishes network failures from internal errors.</summary>
internal static class TransportFailure
{
    public static bool Is(Exception e) =>
        e is IOException or SocketException or OperationCanceledException or ObjectDisposedException;
}
