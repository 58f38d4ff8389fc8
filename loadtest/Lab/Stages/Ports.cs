using System.Net;
using System.Net.Sockets;

namespace DroneDelivery.Lab.Stages;

/// <summary>Which port each process listens on: replica i of a service at its base + i, all moved by one offset.</summary>
internal sealed record Ports(int Offset)
{
    public const int MaxOffset = 50_000;

    public int Broker => 5672 + Offset;

    public int Redis => 6390 + Offset;

    /// <summary>Of its tables.</summary>
    public int Azurite => 10002 + Offset;

    /// <summary>Of the telemetry collector.</summary>
    public int Collector => 5080 + Offset;

    /// <summary>Of the Aspire dashboard's page.</summary>
    public int Dashboard => 18_888 + Offset;

    public int DashboardOtlp => 18_889 + Offset;

    public int Of(Service service, int replica) => service.BasePort + Offset + replica;

    /// <exception cref="LabException">One of them is in use; the message says by what name and which option helps.</exception>
    public static void EnsureFree(IEnumerable<(string Name, int Port)> ports)
    {
        foreach (var (name, port) in ports)
        {
            if (!IsFree(port))
            {
                throw new LabException(
                    $"Port {port}, for {name}, is in use. Stop what listens there (`./lab down` if it is a lab), "
                        + "or move all ports: --port-offset 1000.");
            }
        }
    }

    /// <summary>Whether somebody accepts connections.</summary>
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
