using System.Buffers.Binary;

namespace DroneDelivery.Amqp.Tests.Types;

public sealed class DamagedValueTests
{
    [Fact]
    public void Truncated_value_is_a_decode_error()
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
    [InlineData("b0 7f ff ff ff 00")] // Binary.
    [InlineData("b1 ff ff ff ff 00")] // String.
    [InlineData("d0 7f ff ff ff 7f ff ff ff 40")] // List.
    [InlineData("d0 00 00 00 05 7f ff ff ff 40")] // List with a correct size.
    [InlineData("d1 00 00 00 05 7f ff ff fe 40")] // Map.
    [InlineData("f0 00 00 00 06 7f ff ff ff 70 00")] // Array.
    [InlineData("f0 00 00 00 05 7f ff ff ff 40")] // Array of nulls, which occupy no bytes.
    [InlineData("f0 00 00 00 05 7f ff ff ff 45")] // Array of empty lists.
    [InlineData("e0 02 ff 41")] // More items without content than bytes.
    [InlineData("c0 09 02 e0 02 08 41 e0 02 08 41")] // The same with two arrays.
    [InlineData("c0 02 03 40")] // The size covers only one of the three.
    [InlineData("c0 03 01 40 40")] // The size covers more than the one.
    [InlineData("c1 02 01 40")] // A key without a value.
    [InlineData("c1 03 02 40 40")] // A null key.
    [InlineData("c1 05 04 41 41 41 41")] // A duplicate key.
    [InlineData("56 02")] // Neither true nor false.
    [InlineData("73 00 00 d8 00")] // A surrogate isn't a character.
    [InlineData("a1 01 ff")] // Not UTF-8.
    [InlineData("a3 01 80")] // Not ASCII.
    [InlineData("3f")] // Not a constructor.
    public void Forged_sizes_fail_to_decode_without_large_allocations(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(Bytes.FromHex(hex)));

    [Theory]
    [InlineData("c1 05 02 a3 01 80 40")] // A symbol.
    [InlineData("c1 06 02 a1 02 c3 a9 40")] // A string in its place.
    public void Key_that_is_not_ASCII_is_rejected(string hex) =>
        Assert.Equal(ErrorConditions.DecodeError, Damage.Try(() => new AmqpReader(Bytes.FromHex(hex)).ReadSymbolMap()));

    [Theory]
    [InlineData(FormatCode.List32, 1)]
    [InlineData(FormatCode.Map32, 1)]
    [InlineData(FormatCode.Array32, 8)]
    public void Nested_counts_allocate_only_a_multiple_of_the_bytes(byte code, int width)
    {
        const int levels = 63;
        const int head = 9;
        var bomb = new byte[levels * head + 60_000];
        bomb.AsSpan().Fill(0x3f); // Not a constructor, so reading ends there.
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
    [InlineData("00")] // Described values.
    [InlineData("d0 00 00 ff 00 00 00 00 01")] // Nested lists.
    public void Deep_nesting_is_rejected_before_the_stack_overflows(string level)
    {
        var bomb = Enumerable.Repeat(Bytes.FromHex(level), 60_000).SelectMany(b => b).ToArray();
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(bomb, limit: int.MaxValue));
        Damage.Try(() => new AmqpReader(bomb).Skip());
    }
}
