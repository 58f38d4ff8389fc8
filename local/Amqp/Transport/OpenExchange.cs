using System.Buffers;
using System.IO.Pipelines;

namespace DroneDelivery.Amqp;

/// <summary>The handshake before sessions: protocol headers, SASL, and open (AMQP 1.0 §2.4.1).</summary>
internal static class OpenExchange
{
    // .NET clients of Service Bus require the first; the others are for clients without tokens.
    private static readonly Symbol[] Mechanisms = ["MSSBCBS", "PLAIN", "ANONYMOUS"];

    private const byte Ok = 0;
    private const byte AuthenticationFailed = 1;

    /// <summary>Returns <c>null</c> if the peer uses another protocol or failed to authenticate. It has been
    /// notified.</summary>
    public static async Task<Open?> AsServerAsync(
        HandshakePipe pipe,
        AmqpConnectionOptions options,
        CancellationToken cancellationToken
    )
    {
        var header = await pipe.ReadHeaderAsync(cancellationToken);
        if (header.AsSpan().SequenceEqual(ProtocolHeader.Sasl))
        {
            if (!await AuthenticateAsync(pipe, options.Authenticate, cancellationToken))
                return null;
            // Wait for the client's header, because some clients lose bytes that directly follow the outcome.
            header = await pipe.ReadHeaderAsync(cancellationToken);
        }
        await pipe.WriteAsync(ProtocolHeader.Amqp, cancellationToken);
        if (!header.AsSpan().SequenceEqual(ProtocolHeader.Amqp))
            return null;
        return await RespondToOpenAsync(pipe, options, cancellationToken);
    }

    private static async Task<bool> AuthenticateAsync(
        HandshakePipe pipe,
        Func<SaslInit, bool>? authenticate,
        CancellationToken cancellationToken
    )
    {
        await pipe.WriteAsync(ProtocolHeader.Sasl, cancellationToken);
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslMechanisms(Mechanisms), cancellationToken);
        var init = await pipe.ReadFrameAsync(ReadInit, cancellationToken);
        var isAuthenticated = Mechanisms.Contains(init.Mechanism) && authenticate?.Invoke(init) != false;
        await pipe.WriteFrameAsync(
            Frame.SaslType,
            new SaslOutcome(isAuthenticated ? Ok : AuthenticationFailed),
            cancellationToken
        );
        return isAuthenticated;
    }

    private static SaslInit ReadInit(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.SaslType || descriptor != SaslInit.Code)
        {
            throw new AmqpException(
                ErrorConditions.FramingError,
                $"expected 0x{SaslInit.Code:x} in the SASL exchange, received 0x{descriptor:x}"
            );
        }

        return SaslInit.Read(ref fields);
    }

    private static async Task<Open?> RespondToOpenAsync(
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
        catch (AmqpException error)
        {
            // A close must follow an open (AMQP 1.0 §2.4.3).
            await pipe.WriteFrameAsync(Frame.AmqpType, OwnOpen(options), cancellationToken);
            await pipe.WriteFrameAsync(Frame.AmqpType, new Close(error.Error), cancellationToken);
            return null;
        }
    }

    public static Open ReadOpen(byte type, ulong descriptor, ref FieldReader fields)
    {
        if (type != Frame.AmqpType || descriptor is not (Open.Code or Close.Code))
            throw new AmqpException(ErrorConditions.FramingError, $"expected an open, received 0x{descriptor:x}");
        if (descriptor == Close.Code)
        {
            throw new AmqpException(
                Close.Read(ref fields).Error
                    ?? new AmqpError(ErrorConditions.ConnectionForced, "The peer closed the connection immediately.")
            );
        }
        var open = Open.Read(ref fields);
        fields.End();
        return open.MaxFrameSize < Frame.MinMaxSize
            ? throw new AmqpException(
                ErrorConditions.InvalidField,
                $"open.max-frame-size must be at least {Frame.MinMaxSize}"
            )
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

/// <summary>The protocol headers: AMQP, protocol ID, version 1.0.0 (AMQP 1.0 §2.2, §5.3.1).</summary>
internal static class ProtocolHeader
{
    public const int Size = 8;

    public static readonly byte[] Amqp = "AMQP\0\u0001\0\0"u8.ToArray();
    public static readonly byte[] Sasl = "AMQP\u0003\u0001\0\0"u8.ToArray();
}

internal sealed class HandshakePipe(IDuplexPipe transport, uint maxFrameSize)
{
    public async Task<byte[]> ReadHeaderAsync(CancellationToken cancellationToken)
    {
        var result = await transport.Input.ReadAtLeastAsync(ProtocolHeader.Size, cancellationToken);
        if (result.Buffer.Length < ProtocolHeader.Size)
        {
            transport.Input.AdvanceTo(result.Buffer.End);
            throw new EndOfStreamException("The peer disconnected during the handshake.");
        }
        var header = result.Buffer.Slice(0, ProtocolHeader.Size);
        var bytes = header.ToArray();
        transport.Input.AdvanceTo(header.End);
        return bytes;
    }

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
                throw new EndOfStreamException("The peer disconnected during the handshake.");
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
