using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace DroneDelivery.Bench.BrokerMemory;

/// <summary>
/// Makes a .NET process of this user collect its garbage, as memory profilers do: an event session with the runtime's keyword
/// GCHeapCollect, over the process's diagnostic port (the protocol is in the documentation of the .NET runtime).
/// </summary>
internal static class ForcedCollection
{
    private const byte EventPipe = 2, StopTracing = 1, CollectTracing = 2, Ok = 0;
    private const ulong GcHeapCollect = 0x800000;
    private const uint NetTrace = 1, Informational = 4, BufferMegabytes = 1;
    private const int HeadSize = 20;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20), Duration = TimeSpan.FromSeconds(4);

    public static async Task RunAsync(int processId)
    {
        using var patience = new CancellationTokenSource(Patience);
        await using var session = await ConnectAsync(processId, patience.Token);
        var id = await AskAsync(session, CollectTracing, Session(), patience.Token);
        var reading = DrainAsync(session, patience.Token);
        await Task.Delay(Duration, patience.Token);
        await using (var stopping = await ConnectAsync(processId, patience.Token))
            await AskAsync(stopping, StopTracing, BitConverter.GetBytes(id), patience.Token);
        await reading;
    }

    private static async Task<NetworkStream> ConnectAsync(int processId, CancellationToken cancellationToken)
    {
        // A process that was killed leaves its port behind, and its number may be another's by now.
        var path = Directory.GetFiles(Path.GetTempPath(), $"dotnet-diagnostic-{processId}-*-socket").MaxBy(File.GetCreationTimeUtc)
            ?? throw new FileNotFoundException($"Process {processId} has no diagnostic port in {Path.GetTempPath()}.");
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellationToken);
        return new NetworkStream(socket, ownsSocket: true);
    }

    private static byte[] Session()
    {
        using var bytes = new MemoryStream();
        using var writer = new BinaryWriter(bytes);
        writer.Write(BufferMegabytes);
        writer.Write(NetTrace);
        writer.Write(1); // provider
        writer.Write(GcHeapCollect);
        writer.Write(Informational);
        WriteText(writer, "Microsoft-Windows-DotNETRuntime");
        WriteText(writer, "");
        return bytes.ToArray();
    }

    private static void WriteText(BinaryWriter writer, string text)
    {
        writer.Write(text.Length + 1);
        writer.Write(Encoding.Unicode.GetBytes(text + '\0'));
    }

    /// <returns>The number of the session.</returns>
    private static async Task<ulong> AskAsync(NetworkStream port, byte command, byte[] payload, CancellationToken cancellationToken)
    {
        var head = new byte[HeadSize];
        "DOTNET_IPC_V1\0"u8.CopyTo(head);
        BinaryPrimitives.WriteUInt16LittleEndian(head.AsSpan(14), (ushort)(HeadSize + payload.Length));
        (head[16], head[17]) = (EventPipe, command);
        await port.WriteAsync((byte[])[.. head, .. payload], cancellationToken);
        await port.ReadExactlyAsync(head, cancellationToken);
        var answer = new byte[BinaryPrimitives.ReadUInt16LittleEndian(head.AsSpan(14)) - HeadSize];
        await port.ReadExactlyAsync(answer, cancellationToken);
        return head[17] == Ok
            ? BinaryPrimitives.ReadUInt64LittleEndian(answer)
            : throw new IOException($"The diagnostic port refused: {Convert.ToHexString(answer)}.");
    }

    private static async Task DrainAsync(NetworkStream port, CancellationToken cancellationToken)
    {
        var events = new byte[64 * 1024];
        while (await port.ReadAsync(events, cancellationToken) > 0)
        {
        }
    }
}
