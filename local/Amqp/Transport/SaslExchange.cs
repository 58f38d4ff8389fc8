namespace DroneDelivery.Amqp;

/// <summary>The SASL layer: mechanisms, init, outcome (AMQP 1.0 §5.3).</summary>
internal static class SaslExchange
{
    // The first is what .NET clients of Service Bus insist on; the others serve clients that bring no claims.
    private static readonly Symbol[] Offered = ["MSSBCBS", "PLAIN", "ANONYMOUS"];

    private const byte Ok = 0;
    private const byte AuthenticationFailed = 1;

    public static async Task AsClientAsync(HandshakePipe pipe, SaslClient sasl, string hostName, CancellationToken cancellationToken)
    {
        await pipe.WriteAsync(ProtocolHeader.Sasl, cancellationToken);
        await pipe.ExpectHeaderAsync(ProtocolHeader.Sasl, cancellationToken);
        var offered = await pipe.ReadFrameAsync(ReadMechanisms, cancellationToken);
        if (!offered.Contains(sasl.Mechanism))
            throw Refused($"The peer offers {string.Join(", ", offered)}, not {sasl.Mechanism}.");
        var init = new SaslInit { Mechanism = sasl.Mechanism, InitialResponse = sasl.InitialResponse, HostName = hostName };
        await pipe.WriteFrameAsync(Frame.SaslType, init, cancellationToken);
        var outcome = await pipe.ReadFrameAsync(ReadOutcome, cancellationToken);
        if (outcome != Ok)
            throw Refused($"The peer refused {sasl.Mechanism} with code {outcome}.");
    }

    /// <summary>The client's header has been read. False when it was not let in.</summary>
    public static async Task<bool> AsServerAsync(
        HandshakePipe pipe, Func<SaslInit, bool>? authenticate, CancellationToken cancellationToken)
    {
        await pipe.WriteAsync(ProtocolHeader.Sasl, cancellationToken);
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslMechanisms { Mechanisms = Offered }, cancellationToken);
        var init = await pipe.ReadFrameAsync(ReadInit, cancellationToken);
        var welcome = Offered.Contains(init.Mechanism) && authenticate?.Invoke(init) != false;
        await pipe.WriteFrameAsync(Frame.SaslType, new SaslOutcome { Outcome = welcome ? Ok : AuthenticationFailed }, cancellationToken);
        return welcome;
    }

    private static Symbol[] ReadMechanisms(byte type, ulong descriptor, ref FieldReader fields)
    {
        Expect(type, descriptor, SaslMechanisms.Code);
        return SaslMechanisms.Read(ref fields).Mechanisms;
    }

    private static SaslInit ReadInit(byte type, ulong descriptor, ref FieldReader fields)
    {
        Expect(type, descriptor, SaslInit.Code);
        return SaslInit.Read(ref fields);
    }

    private static byte ReadOutcome(byte type, ulong descriptor, ref FieldReader fields)
    {
        Expect(type, descriptor, SaslOutcome.Code);
        return SaslOutcome.Read(ref fields).Outcome;
    }

    private static void Expect(byte type, ulong descriptor, ulong expected)
    {
        if (type != Frame.SaslType || descriptor != expected)
            throw new AmqpException(ErrorConditions.FramingError, $"0x{descriptor:x} where the SASL exchange has 0x{expected:x}");
    }

    private static AmqpException Refused(string why) => new(ErrorConditions.UnauthorizedAccess, why);
}
