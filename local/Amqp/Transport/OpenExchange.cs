using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>Protocol headers, SASL and open: all that comes before the sessions (AMQP 1.0 §2.4.1).</summary>
internal static class OpenExchange
{
    // The first is what .NET clients of Service Bus insist on; the others serve clients that bring no claims.
    private static readonly Symbol[] Mechanisms = ["MSSBCBS", "PLAIN", "ANONYMOUS"];

    private const byte Ok = 0;
    private const byte AuthenticationFailed = 1;

    /// <summary>Null when the peer speaks something else or was not let in: it has been told so.</summary>
    public static async Task<Open?> AsServerAsync(
        HandshakePipe pipe,
        AmqpConnectionOptions options,
        CancellationToken cancellationToken
    )
    {
        var header = await pipe.ReadHeaderAsync(cancellationToken);
        if (header.AsSpan().SequenceEqual(ProtocolHeader.Sasl))
        {
            if (!await LetInAsync(pipe, options.Authenticate, cancellationToken))
                return null;
            // Only the client's own header proves that it has read the outcome: some clients lose what comes right behind it.
            header = await pipe.ReadHeaderAsync(cancellationToken);
        }
        await pipe.WriteAsync(ProtocolHeader.Amqp, cancellationToken);
        if (!header.AsSpan().SequenceEqual(ProtocolHeader.Amqp))
            return null;
        return await AnswerOpenAsync(pipe, options, cancellationToken);
    }

    /// <summary>Mechanisms, init, outcome (AMQP 1.0 §5.3). False when the client was not let in.</summary>
    private static async Task<bool> LetInAsync(
        HandshakePipe pipe,
        Func<SaslInit, bool>? authenticate,
        CancellationToken cancellationToken
    )
    {
        await pipe.WriteAsync(ProtocolHeader.Sasl, cancellationToken);
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslMechanisms(Mechanisms), cancellationToken);
        var init = await pipe.ReadFrameAsync(ReadInit, cancellationToken);
        var welcome = Mechanisms.Contains(init.Mechanism) && authenticate?.Invoke(init) != false;
        await pipe.WriteFrameAsync(
            Frame.SaslType,
            new SaslOutcome(welcome ? Ok : AuthenticationFailed),
            cancellationToken
        );
        return welcome;
    }

    private static SaslInit ReadInit(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.SaslType || descriptor != SaslInit.Code)
        {
            throw new AmqpException(
                ErrorConditions.FramingError,
                $"0x{descriptor:x} where the SASL exchange has 0x{SaslInit.Code:x}"
            );
        }

        return SaslInit.Read(ref fields);
    }

    private static async Task<Open?> AnswerOpenAsync(
        HandshakePipe pipe,
        AmqpConnectionOptions options,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var remote = await pipe.ReadFrameAsync(ReadOpen, cancellationToken);
            await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options), cancellationToken);
            return remote;
        }
        catch (AmqpException refused)
        {
            // A close is only legal behind an open (AMQP 1.0 §2.4.3).
            await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options), cancellationToken);
            await pipe.WriteFrameAsync(Frame.AmqpType, new Close(refused.Error), cancellationToken);
            return null;
        }
    }

    public static Open ReadOpen(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.AmqpType || descriptor is not (Open.Code or Close.Code))
            throw new AmqpException(ErrorConditions.FramingError, $"0x{descriptor:x} where an open is expected");
        if (descriptor == Close.Code)
        {
            throw new AmqpException(
                Close.Read(ref fields).Error
                    ?? new AmqpError(ErrorConditions.ConnectionForced, "The peer closed at once.")
            );
        }
        var open = Open.Read(ref fields);
        fields.End();
        return open.MaxFrameSize < Frame.MinMaxSize
            ? throw new AmqpException(ErrorConditions.InvalidField, $"open.max-frame-size is below {Frame.MinMaxSize}")
            : open;
    }

    public static Open OwnOpen(AmqpConnectionOptions options) =>
        new()
        {
            ContainerId = options.ContainerId,
            MaxFrameSize = options.MaxFrameSize,
            ChannelMax = options.ChannelMax,
            IdleTimeout = options.IdleTimeout > TimeSpan.Zero ? (uint)options.IdleTimeout.TotalMilliseconds : null,
        };
}

/// <summary>The eight bytes with which each layer begins: AMQP, protocol id, version 1.0.0 (AMQP 1.0 §2.2, §5.3.1).</summary>
internal static class ProtocolHeader
{
    public const int Size = 8;

    public static readonly byte[] Amqp = "AMQP\0\u0001\0\0"u8.ToArray();
    public static readonly byte[] Sasl = "AMQP\u0003\u0001\0\0"u8.ToArray();
}

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
