namespace DroneDelivery.Amqp.Tests.Types;

public sealed class SerialNumberTests
{
    [Theory]
    [InlineData(10u, 5u, 5u, 10u)] // all seen
    [InlineData(10u, 5u, 8u, 7u)] // three under way
    [InlineData(2u, 5u, 8u, 0u)] // more under way than allowed now
    [InlineData(10u, uint.MaxValue, 2u, 7u)] // three under way, across the wrap
    [InlineData(uint.MaxValue, 5u, 8u, uint.MaxValue - 3)] // no limit
    [InlineData(10u, 8u, 5u, 10u)] // a peer that saw what was never sent
    public void What_is_left_of_an_allowance_leaves_out_what_is_under_way(
        uint allowance,
        uint seen,
        uint sent,
        uint left
    ) => Assert.Equal(left, SerialNumber.Remaining(allowance, seen, sent));
}
