namespace DroneDelivery.LocalServiceBus.Tests.Wire;

public sealed class OutcomeTests
{
    [Fact]
    public void Each_queue_result_has_an_error()
    {
        using var fixture = new QueueFixture();
        var reasons = Enum.GetValues<QueueResult>().Where(result => result != QueueResult.Done);
        Assert.All(reasons, why => Assert.NotEmpty(ClientErrors.Of(why, fixture.Queue).Description!));
    }

    [Fact]
    public void Dead_letter_reason_and_description_come_from_the_error()
    {
        Assert.Equal(
            ("bad", "wheel"),
            Dead(new("com.microsoft:dead-letter", "wheel", new() { ["DeadLetterReason"] = "bad" }))
        );
        Assert.Equal(("app:broken", "wheel"), Dead(new("app:broken", "wheel"))); // As plain AMQP clients send it.

        static (string?, string?) Dead(AmqpError error)
        {
            var dead = Assert.IsType<Settlement.DeadLettered>(Outcome.ToSettlement(new Rejected(error)));
            return (dead.Reason, dead.Description);
        }
    }

    [Fact]
    public void Described_property_is_charged_by_its_contents()
    {
        Assert.InRange(SizeOf(new DescribedValue((Symbol)"com.microsoft:timespan", 1L)), 100, 1000);
        Assert.InRange(SizeOf(new DescribedValue(1ul, new byte[60_000])), 60_000, 61_000);
        Assert.InRange(
            SizeOf(new DescribedValue(1ul, new List<object?>())),
            MemorySize.MaxProperties + 1,
            long.MaxValue
        );
        Assert.InRange(SizeOf(new DescribedValue(new List<object?>(), 1)), MemorySize.MaxProperties + 1, long.MaxValue);

        static long SizeOf(object value) =>
            MemorySize.Of(
                "x",
                Assert
                    .IsType<Settlement.Abandoned>(
                        Outcome.ToSettlement(new Modified(false, false, new() { ["x"] = value }))
                    )
                    .Properties!["x"]
            );
    }
}
