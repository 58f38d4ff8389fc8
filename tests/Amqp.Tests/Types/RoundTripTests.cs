namespace DroneDelivery.Amqp.Tests.Types;

public sealed class RoundTripTests
{
    [Theory]
    [InlineData(253, "c0 ff fd")]
    [InlineData(254, "c0 ff fe")]
    [InlineData(255, "d0 00 00 01 03 00 00 00 ff")]
    [InlineData(256, "d0 00 00 01 04 00 00 01 00")]
    public void List_is_encoded_large_when_a_byte_cannot_hold_its_size(int count, string head)
    {
        var list = new List<object?>(new object?[count]);
        if (count == 253)
            list[0] = (byte)1; // One more byte of content with the same count.
        Assert.StartsWith(head, Bytes.Hex(list));
        Assert.Equal(list, new AmqpReader(Bytes.Encode(w => w.WriteValue(list))).ReadValue());
    }

    /// <summary>Depth is limited, breadth is not.</summary>
    [Fact]
    public void Many_nested_values_are_accepted_side_by_side()
    {
        var map = new Dictionary<object, object?> { ["k"] = 1 };
        object[] nested = [new List<object?> { 1 }, map, new DescribedValue(0x24ul, 1), new[] { 1L, 2L }];
        List<object?> list = [.. nested.SelectMany(value => Enumerable.Repeat(value, 100))];
        var encoded = Bytes.Encode(w => w.WriteValue(list));

        Assert.Equivalent(list, new AmqpReader(encoded).ReadValue(), strict: true);
        var reader = new AmqpReader(
            Bytes.Encode(w =>
            {
                foreach (var value in list)
                    w.WriteValue(value);
            })
        );
        for (var i = 0; i < list.Count; i++)
            reader.Skip();
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void Value_without_an_AMQP_type_is_rejected_with_its_type()
    {
        using var writer = new AmqpWriter();
        Assert.Contains(
            "System.Version",
            Assert.Throws<ArgumentException>(() => writer.WriteValue(new Version(1, 0))).Message
        );
        Assert.Contains("ASCII", Assert.Throws<ArgumentException>(() => writer.WriteSymbol("é")).Message);
    }
}
