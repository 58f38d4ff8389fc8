namespace DroneDelivery.Amqp.Tests.Types;

public sealed class SerialNumberTests
{
    [Theory]
    [InlineData(10u, 5u, 5u, 10u)] // All seen.
    [InlineData(10u, 5u, 8u, 7u)] // Three in transit.
    [InlineData(2u, 5u, 8u, 0u)] // More in transit than now allowed.
    [InlineData(10u, uint.MaxValue, 2u, 7u)] // Three in transit across the wraparound.
    [InlineData(uint.MaxValue, 5u, 8u, uint.MaxValue - 3)] // No limit.
    [InlineData(10u, 8u, 5u, 10u)] // A peer that claims more than was sent.
    public void Remaining_allowance_excludes_deliveries_in_transit(uint allowance, uint seen, uint sent, uint left) =>
        Assert.Equal(left, SerialNumber.Remaining(allowance, seen, sent));
}
