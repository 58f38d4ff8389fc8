using System.Buffers.Binary;

namespace DroneDelivery.Amqp.Tests.Types;

public sealed class DamagedValueTests
{
    [Fact]
    public void Every_truncation_is_a_decode_error_and_every_flipped_byte_another_value_or_one()
    {
        foreach (var encoded in TypeEncodingTests.Smallest().Select(row => Bytes.FromHex(row.Data.Item1)))
        {
            for (var length = 0; length < encoded.Length; length++)
                Assert.NotNull(Damage.Decode(encoded.AsMemory(0, length)));
            foreach (var damaged in Damage.FlipEachByte(encoded))
                Damage.Decode(damaged);
        }
    }

    [Theory]
    [InlineData("b0 7f ff ff ff 00")] // binary
    [InlineData("b1 ff ff ff ff 00")] // string
    [InlineData("d0 7f ff ff ff 7f ff ff ff 40")] // list
    [InlineData("d0 00 00 00 05 7f ff ff ff 40")] // list whose size is right
    [InlineData("d1 00 00 00 05 7f ff ff fe 40")] // map
    [InlineData("f0 00 00 00 06 7f ff ff ff 70 00")] // array
    [InlineData("f0 00 00 00 05 7f ff ff ff 40")] // array of nulls, which take no bytes
    [InlineData("f0 00 00 00 05 7f ff ff ff 45")] // array of empty lists
    [InlineData("e0 02 ff 41")] // more items without content than bytes
    [InlineData("c0 09 02 e0 02 08 41 e0 02 08 41")] // the same, of two arrays together
    [InlineData("c0 02 03 40")] // a size that holds only one of the three
    [InlineData("c0 03 01 40 40")] // a size that holds more than the one
    [InlineData("c1 02 01 40")] // a key without a value
    [InlineData("c1 03 02 40 40")] // a null key
    [InlineData("c1 05 04 41 41 41 41")] // a key twice
    [InlineData("56 02")] // neither true nor false
    [InlineData("73 00 00 d8 00")] // a surrogate is no character
    [InlineData("a1 01 ff")] // not UTF-8
    [InlineData("a3 01 80")] // not ASCII
    [InlineData("3f")] // no constructor
    public void Lies_are_decode_errors_and_allocate_next_to_nothing(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(Bytes.FromHex(hex)));

    [Theory]
    [InlineData("c1 05 02 a3 01 80 40")] // a symbol
    [InlineData("c1 06 02 a1 02 c3 a9 40")] // a string in place of one
    public void A_key_that_is_not_ASCII_is_no_symbol(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Damage.Try(() => new AmqpReader(Bytes.FromHex(hex)).ReadSymbolMap()));

    [Theory]
    [InlineData(FormatCode.List32, 1)]
    [InlineData(FormatCode.Map32, 1)]
    [InlineData(FormatCode.Array32, 8)]
    public void Nested_counts_allocate_no_more_than_a_few_times_the_bytes(byte code, int width)
    {
        const int levels = 63;
        const int head = 9;
        var bomb = new byte[levels * head + 60_000];
        bomb.AsSpan().Fill(0x3f); // no constructor: reading ends there
        for (var level = 0; level < levels; level++)
        {
            var left = bomb.Length - (level + 1) * head;
            var at = bomb.AsSpan(level * head);
            at[0] = code;
            BinaryPrimitives.WriteInt32BigEndian(at[1..], left + 4);
            BinaryPrimitives.WriteInt32BigEndian(at[5..], (left - 1) / width & ~1);
        }
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(bomb, limit: 4 * bomb.Length));
    }

    [Theory]
    [InlineData("00")] // described
    [InlineData("d0 00 00 ff 00 00 00 00 01")] // lists in lists
    public void Deep_nesting_is_refused_before_the_stack_ends(string level)
    {
        var bomb = Enumerable.Repeat(Bytes.FromHex(level), 60_000).SelectMany(b => b).ToArray();
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(bomb, limit: int.MaxValue));
        Damage.Try(() => new AmqpReader(bomb).Skip());
    }
}
