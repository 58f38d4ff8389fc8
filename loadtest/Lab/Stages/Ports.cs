using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Lab.Stages;

/// <summary>The ports of the processes: replica i of a service uses its base port + i + offset.</summary>
internal sealed record Ports(int Offset)
{
    public const int MaxOffset = 46_000;

    public int Broker => 5672 + Offset;
    public int Redis => 6390 + Offset;
    public int Collector => 5080 + Offset;

    public int Of(Service service, int replica) => service.BasePort + Offset + replica;

    public static void EnsureFree(IEnumerable<(string Name, int Port)> ports)
    {
        if (ports.FirstOrDefault(candidate => !IsFree(candidate.Port)) is { Name: { } name, Port: var port })
        {
            throw new LabException(
                $"Port {port}, for {name}, is in use. Stop what listens there (`./lab down` if it is a lab), "
                    + "or move all ports: --port-offset 1000."
            );
        }
    }

    public static async Task<bool> AcceptsAsync(int port, CancellationToken cancellationToken)
    {
        try
        {
            using var client = new TcpClient();
            await client.ConnectAsync(IPAddress.Loopback, port, cancellationToken);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    public static bool IsFree(int port)
    {
        try
        {
            using var listener = new TcpListener(IPAddress.Loopback, port);
            listener.Start();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
