using System.Runtime.InteropServices;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// POSIX <c>poll</c>: one thread waits for many sockets and for a time, exact to the millisecond. .NET's own way allocates lists for each
/// wait.
/// </summary>
internal static class Polling
{
    public const short In = 1, Out = 4;

    /// <summary>Waits for the first event, at most so many milliseconds.</summary>
    public static void Wait(Polled[] sockets, int milliseconds)
    {
        // Interrupted by a signal: the events say nothing then.
        if (Poll(sockets, (nuint)sockets.Length, milliseconds) >= 0)
            return;
        foreach (ref var socket in sockets.AsSpan())
            socket.Happened = 0;
    }

    [DllImport("libc", EntryPoint = "poll")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Poll([In, Out] Polled[] sockets, nuint count, int milliseconds);
}

/// <summary><c>struct pollfd</c>.</summary>
/// <param name="wanted">Events to wait for; that it has ended is always one.</param>
[StructLayout(LayoutKind.Sequential)]
internal struct Polled(int handle, short wanted)
{
    public int Handle = handle;
    public short Wanted = wanted;

    /// <summary>Zero: nothing.</summary>
    public short Happened;
}
