using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>Headers and frames one at a time, as the exchange before the sessions needs them.</summary>
internal sealed class HandshakePipe(IDuplexPipe transport, uint maxFrameSize)
{
    /// <summary>The eight bytes of the peer's protocol header.</summary>
    public async Task<byte[]> ReadHeaderAsync(CancellationToken cancellationToken)
    {
        var result = await transport.Input.ReadAtLeastAsync(ProtocolHeader.Size, cancellationToken);
        if (result.Buffer.Length < ProtocolHeader.Size)
        {
            transport.Input.AdvanceTo(result.Buffer.End);
            throw new EndOfStreamException("The peer closed the transport during the handshake.");
        }
        var header = result.Buffer.Slice(0, ProtocolHeader.Size);
        var bytes = header.ToArray();
        transport.Input.AdvanceTo(header.End);
        return bytes;
    }

    /// <summary>The next frame that has a body, turned into what <paramref name="read"/> makes of it.</summary>
    public async Task<T> ReadFrameAsync<T>(FrameBody<T> read, CancellationToken cancellationToken)
    {
        using var parser = new FrameParser(maxFrameSize);
        while (true)
        {
            var result = await transport.Input.ReadAsync(cancellationToken);
            var buffer = result.Buffer;
            var found = TryRead(parser, ref buffer, read, out var body);
            transport.Input.AdvanceTo(buffer.Start, found ? buffer.Start : buffer.End);
            if (found)
                return body!;
            if (result.IsCompleted)
                throw new EndOfStreamException("The peer closed the transport during the handshake.");
        }
    }

    public async Task WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken) =>
        await transport.Output.WriteAsync(bytes, cancellationToken);

    public async Task WriteFrameAsync<T>(byte type, T performative, CancellationToken cancellationToken)
        where T : IComposite
    {
        using var writer = new AmqpWriter();
        Frame.Write(writer, type, 0, performative);
        await WriteAsync(writer.WrittenMemory, cancellationToken);
    }

    private static bool TryRead<T>(
        FrameParser parser,
        ref ReadOnlySequence<byte> buffer,
        FrameBody<T> read,
        out T? body
    )
    {
        body = default;
        while (parser.TryRead(ref buffer, out var frame))
        {
            if (frame.Body.IsEmpty)
                continue;
            var fields = new FieldReader(frame.Body, out var descriptor);
            body = read(frame.Type, descriptor, ref fields);
            return true;
        }
        return false;
    }
}

internal delegate T FrameBody<out T>(byte type, ulong descriptor, ref FieldReader fields);
