using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Articles.Tests.Support;

internal static class FreePorts
{
    // Azurite's port, the highest, stays below 32768, where the ports that the system assigns to clients start.
    private const int Least = 1_000,
        Offsets = 21_700;

    /// <summary>The ports of an application without an offset.</summary>
    private static readonly int[] All =
    [
        5672,
        6390,
        10002,
        .. new[] { 5100, 5200, 5300, 5400, 5600, 5700 }.SelectMany(first => Enumerable.Range(first, 6)),
    ];

    private static int _next = Environment.ProcessId % 200 * 100;

    /// <summary>Returns an offset that moves all ports to unused ones.</summary>
    public static int Offset()
    {
        for (var attempt = 0; attempt < Offsets / 10; attempt++)
        {
            var offset = Least + Interlocked.Add(ref _next, 10) % Offsets;
            if (All.All(port => Ports.IsFree(port + offset)))
                return offset;
        }

        throw new InvalidOperationException("All ports are in use.");
    }
}
