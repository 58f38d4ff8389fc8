using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

public static class TransactionCommands
{
    /// <summary>Returns the value that represents the command in the body of a message.</summary>
    public static DescribedValue ToValue(this TransactionCommand command) =>
        command switch
        {
            Declare declare => new(Declare.Code, new List<object?> { declare.GlobalId }),
            Discharge discharge => new(Discharge.Code, new List<object?> { discharge.TxnId, discharge.Fail }),
            _ => throw new ArgumentException($"'{command}' isn't a transaction command.", nameof(command)),
        };
}
