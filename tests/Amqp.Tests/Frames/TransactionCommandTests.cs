namespace DroneDelivery.Amqp.Tests.Frames;

/// <summary>The commands from a transaction controller to a coordinator (AMQP 1.0 §4.5).</summary>
public sealed class TransactionCommandTests
{
    [Fact]
    public void Short_lists_and_symbolic_descriptors_are_read()
    {
        Assert.Equal(new Declare(), Read("00 53 31 45"));
        Assert.False(Assert.IsType<Discharge>(Read("00 53 32 c0 04 01 a0 01 07")).Fail);
        Assert.True(Assert.IsType<Discharge>(Read("00 53 32 c0 05 02 a0 01 07 41")).Fail);
        Assert.IsType<Declare>(
            TransactionCommand.Read(new DescribedValue(new Symbol("amqp:declare:list"), new List<object?>()))
        );
        var discharge = new DescribedValue(new Symbol("amqp:discharge:list"), new List<object?> { new byte[] { 7 } });
        Assert.IsType<Discharge>(TransactionCommand.Read(discharge));
    }

    [Theory]
    [InlineData("40")]
    [InlineData("a1 01 78")]
    [InlineData("00 53 24 45")]
    [InlineData("00 53 31 40")]
    [InlineData("00 53 31 c0 03 01 54 07")]
    [InlineData("00 53 32 45")]
    [InlineData("00 53 32 c0 06 02 a0 01 07 54 01")]
    public void Invalid_command_is_rejected(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Assert.Throws<AmqpException>(() => Read(hex)).Error.Condition.Value);

    private static TransactionCommand Read(string hex) =>
        TransactionCommand.Read(new AmqpReader(Bytes.FromHex(hex)).ReadValue());
}
