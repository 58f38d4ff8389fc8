namespace DroneDelivery.Amqp;

public abstract record TransactionCommand
{
    private protected TransactionCommand() { }

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
            _ => throw new AmqpException(ErrorConditions.DecodeError, $"{name} has an unexpected type"),
        };

    private static AmqpException NoCommand() =>
        new(ErrorConditions.DecodeError, "a message to a coordinator must contain a declare or discharge as its value");
}

/// <summary>Declares a transaction. The <see cref="Declared"/> outcome contains its ID (AMQP 1.0 §4.5.2).</summary>
public sealed record Declare(byte[]? GlobalId = null) : TransactionCommand
{
    internal const ulong Code = 0x31;
}

/// <summary>Commits a transaction or rolls it back (AMQP 1.0 §4.5.3).</summary>
public sealed record Discharge(byte[] TxnId, bool Fail = false) : TransactionCommand
{
    internal const ulong Code = 0x32;
}
