using System.Text;

namespace DroneDelivery.Amqp.Tests.Types;

/// <summary>Encodings from the tables in AMQP 1.0 §1.6.</summary>
public sealed class TypeEncodingTests
{
    public static TheoryData<string, object?> Smallest() =>
        new()
        {
            { "40", null },
            { "41", true },
            { "42", false },
            { "50 ff", byte.MaxValue },
            { "60 01 02", (ushort)0x0102 },
            { "43", 0u },
            { "52 ff", 255u },
            { "70 00 00 01 00", 256u },
            { "70 ff ff ff ff", uint.MaxValue },
            { "44", 0ul },
            { "53 01", 1ul },
            { "80 00 00 00 00 00 00 01 00", 256ul },
            { "51 80", sbyte.MinValue },
            { "61 ff fe", (short)-2 },
            { "54 ff", -1 },
            { "54 7f", 127 },
            { "71 00 00 00 80", 128 },
            { "71 ff ff ff 7f", -129 },
            { "55 80", -128L },
            { "81 00 00 00 00 00 00 00 80", 128L },
            { "72 3f 80 00 00", 1f },
            { "82 bf f0 00 00 00 00 00 00", -1d },
            { "74 01 02 03 04", new Decimal32(0x01020304) },
            { "84 01 02 03 04 05 06 07 08", new Decimal64(0x0102030405060708) },
            { "94 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 02", new Decimal128(new UInt128(1, 2)) },
            { "73 00 01 f6 81", new Rune(0x1f681) },
            { "83 00 00 00 00 00 00 03 e9", DateTimeOffset.FromUnixTimeMilliseconds(1001) },
            { "83 ff ff ff ff ff ff ff ff", DateTimeOffset.FromUnixTimeMilliseconds(-1) },
            {
                "98 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff",
                Guid.Parse("00112233-4455-6677-8899-aabbccddeeff")
            },
            { "a0 02 01 02", new byte[] { 1, 2 } },
            { "a1 03 c3 a9 31", "é1" },
            { "a1 00", "" },
            { "a3 04 61 6d 71 70", new Symbol("amqp") },
            { "45", new List<object?>() },
            {
                "c0 04 02 40 52 07",
                new List<object?> { null, 7u }
            },
            { "c1 01 00", new Dictionary<object, object?>() },
            {
                "c1 05 02 a1 01 6b 41",
                new Dictionary<object, object?> { ["k"] = true }
            },
            { "00 53 24 45", new DescribedValue(0x24ul, new List<object?>()) },
            { "00 a3 01 78 a1 01 79", new DescribedValue(new Symbol("x"), "y") },
            { "e0 07 02 a3 01 61 02 62 63", new Symbol[] { "a", "bc" } },
            { "e0 12 02 81 00 00 00 00 00 00 00 01 ff ff ff ff ff ff ff ff", new[] { 1L, -1L } },
            { "e0 02 00 81", Array.Empty<long>() },
            { "e0 09 02 a1 02 c3 a9 03 61 62 63", new[] { "é", "abc" } },
            {
                "e0 12 01 98 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff",
                new[] { Guid.Parse("00112233-4455-6677-8899-aabbccddeeff") }
            },
            { "e0 0a 01 83 00 00 00 00 00 00 03 e9", new[] { DateTimeOffset.FromUnixTimeMilliseconds(1001) } },
            {
                "c1 14 06 54 07 c0 07 02 a0 01 09 00 44 40 a3 01 78 c1 01 00 43 45",
                new Dictionary<object, object?>
                {
                    [7] = new List<object?> { new byte[] { 9 }, new DescribedValue(0ul, null) },
                    [new Symbol("x")] = new Dictionary<object, object?>(),
                    [0u] = new List<object?>(),
                }
            },
        };

    [Theory, MemberData(nameof(Smallest))]
    public void Value_uses_its_smallest_encoding_and_round_trips(string hex, object? value)
    {
        Assert.Equal(hex, Bytes.Hex(value));
        var reader = new AmqpReader(Bytes.FromHex(hex));
        var skipping = new AmqpReader(Bytes.FromHex(hex));
        Assert.Equivalent(value, reader.ReadValue(), strict: true);
        skipping.Skip();
        Assert.True(reader.IsAtEnd && skipping.IsAtEnd);
    }

    public static TheoryData<string, object?> Longer() =>
        new()
        {
            { "56 01", true },
            { "56 00", false },
            { "70 00 00 00 00", 0u },
            { "80 00 00 00 00 00 00 00 01", 1ul },
            { "71 ff ff ff ff", -1 },
            { "81 00 00 00 00 00 00 00 07", 7L },
            { "b0 00 00 00 01 09", new byte[] { 9 } },
            { "b1 00 00 00 01 41", "A" },
            { "b3 00 00 00 01 41", new Symbol("A") },
            {
                "d0 00 00 00 05 00 00 00 01 40",
                new List<object?> { null }
            },
            {
                "d1 00 00 00 06 00 00 00 02 41 42",
                new Dictionary<object, object?> { [true] = false }
            },
            { "f0 00 00 00 07 00 00 00 02 52 01 02", new object[] { 1u, 2u } },
            { "e0 04 02 56 01 00", new object[] { true, false } },
            { "e0 02 03 40", new object?[] { null, null, null } },
            { "83 80 00 00 00 00 00 00 00", DateTimeOffset.MinValue },
            {
                "83 7f ff ff ff ff ff ff ff",
                DateTimeOffset.FromUnixTimeMilliseconds(DateTimeOffset.MaxValue.ToUnixTimeMilliseconds())
            },
        };

    [Theory, MemberData(nameof(Longer))]
    public void Longer_encodings_are_accepted(string hex, object? value) =>
        Assert.Equivalent(value, new AmqpReader(Bytes.FromHex(hex)).ReadValue(), strict: true);
}
