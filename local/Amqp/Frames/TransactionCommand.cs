namespace DroneDelivery.Amqp;

/// <summary>What the body of a message to a coordinator asks for (AMQP 1.0 §4.5.2, §4.5.3).</summary>
public abstract record TransactionCommand
{
    private protected TransactionCommand() { }

    /// <exception cref="AmqpException">amqp:decode-error: it is no such command.</exception>
    public static TransactionCommand Read(object? value)
    {
        if (value is not DescribedValue { Value: List<object?> fields } described)
            throw NoCommand();
        return CompositeTypes.Number(described.Descriptor) switch
        {
            Declare.Code => new Declare(Field<byte[]>(fields, 0, "declare.global-id")),
            Discharge.Code => new Discharge(
                Field<byte[]>(fields, 0, "discharge.txn-id") ?? throw FieldReader.Missing("discharge.txn-id"),
                Field<bool>(fields, 1, "discharge.fail")
            ),
            _ => throw NoCommand(),
        };
    }

    private static T? Field<T>(List<object?> fields, int position, string name) =>
        fields.ElementAtOrDefault(position) switch
        {
            null => default,
            T value => value,
            _ => throw new AmqpException(ErrorConditions.DecodeError, $"{name} is of another type"),
        };

    private static AmqpException NoCommand() =>
        new(ErrorConditions.DecodeError, "a coordinator takes a declare or a discharge, as the value of a message");
}

/// <summary>Begins a transaction, whose id comes with the <see cref="Declared"/> outcome (AMQP 1.0 §4.5.2).</summary>
public sealed record Declare(byte[]? GlobalId = null) : TransactionCommand
{
    internal const ulong Code = 0x31;
}

/// <summary>Ends a transaction (AMQP 1.0 §4.5.3).</summary>
public sealed record Discharge(byte[] TxnId, bool Fail = false) : TransactionCommand
{
    internal const ulong Code = 0x32;
}
