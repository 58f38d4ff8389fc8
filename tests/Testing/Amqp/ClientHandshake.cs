using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

/// <summary>The client's side of protocol headers, SASL, and open (AMQP 1.0 §2.4.1, §5.3).</summary>
internal static class ClientHandshake
{
    public static async Task AuthenticateAsync(
        HandshakePipe pipe,
        SaslClient sasl,
        string hostName,
        CancellationToken cancellationToken
    )
    {
        await ExchangeHeadersAsync(pipe, ProtocolHeader.Sasl, cancellationToken);
        var offered = await pipe.ReadFrameAsync(ReadMechanisms, cancellationToken);
        if (!offered.Contains(sasl.Mechanism))
            throw Unauthorized($"The peer offers {string.Join(", ", offered)}, not {sasl.Mechanism}.");
        var init = new SaslInit(sasl.Mechanism, sasl.InitialResponse, hostName);
        await pipe.WriteFrameAsync(Frame.SaslType, init, cancellationToken);
        var outcome = await pipe.ReadFrameAsync(ReadOutcome, cancellationToken);
        if (outcome != 0)
            throw Unauthorized($"The peer rejected {sasl.Mechanism} with code {outcome}.");
    }

    public static async Task<Open> OpenAsync(
        HandshakePipe pipe,
        AmqpConnectionOptions options,
        string hostName,
        CancellationToken cancellationToken
    )
    {
        await ExchangeHeadersAsync(pipe, ProtocolHeader.Amqp, cancellationToken);
        var open = OpenExchange.OwnOpen(options);
        open.HostName = hostName;
        await pipe.WriteFrameAsync(Frame.AmqpType, open, cancellationToken);
        return await pipe.ReadFrameAsync(OpenExchange.ReadOpen, cancellationToken);
    }

    private static async Task ExchangeHeadersAsync(HandshakePipe pipe, byte[] ours, CancellationToken cancellationToken)
    {
        await pipe.WriteAsync(ours, cancellationToken);
        var header = await pipe.ReadHeaderAsync(cancellationToken);
        if (!header.AsSpan().SequenceEqual(ours))
        {
            throw new AmqpException(
                ErrorConditions.NotImplemented,
                $"The peer sent the header {Convert.ToHexString(header)}, not AMQP 1.0."
            );
        }
    }

    private static Symbol[] ReadMechanisms(byte type, ulong descriptor, ref FieldReader fields)
    {
        Expect(type, descriptor, SaslMechanisms.Code);
        return fields.Symbols() ?? throw FieldReader.Missing("sasl-mechanisms.sasl-server-mechanisms");
    }

    private static byte ReadOutcome(byte type, ulong descriptor, ref FieldReader fields)
    {
        Expect(type, descriptor, SaslOutcome.Code);
        return fields.UByte() ?? throw FieldReader.Missing("sasl-outcome.code");
    }

    private static void Expect(byte type, ulong descriptor, ulong expected)
    {
        if (type != Frame.SaslType || descriptor != expected)
        {
            throw new AmqpException(
                ErrorConditions.FramingError,
                $"0x{descriptor:x} where the SASL exchange has 0x{expected:x}"
            );
        }
    }

    private static AmqpException Unauthorized(string why) => new(ErrorConditions.UnauthorizedAccess, why);
}
