namespace DroneDelivery.Amqp.Tests.Types;

public sealed class MapKeyTests
{
    private const int Keys = 10_000;

    public static TheoryData<string> Kinds() =>
        [
            "int",
            "uint",
            "long",
            "ulong",
            "float",
            "double",
            "time",
            "uuid",
            "decimal32",
            "decimal64",
            "decimal128",
            "described",
        ];

    // A prime number of buckets: what differs by a multiple of it falls into one.
    private const int Buckets = 1_000_003;

    /// <summary>Each of these hashes to one number, or to one bucket, by its own hash code.</summary>
    private static object Key(string kind, int i) =>
        kind switch
        {
            "int" => i % 2_000 * Buckets + i / 2_000,
            "uint" => (uint)(i % 4_000) * Buckets + (uint)(i / 4_000),
            "long" => ((long)i << 32) | (uint)i,
            "ulong" => ((ulong)i << 32) | (uint)i,
            "float" => BitConverter.Int32BitsToSingle(i * 1000 + 1),
            "double" => BitConverter.Int64BitsToDouble(((long)i << 32) | (uint)i),
            "time" => DateTimeOffset.FromUnixTimeMilliseconds(i * 1_000_003L),
            "uuid" => new Guid(i, 0, 0, 0, 0, 0, 0, (byte)i, (byte)(i >> 8), 0, 0),
            "decimal32" => new Decimal32((uint)(i * Buckets)),
            "decimal64" => new Decimal64(((ulong)i << 32) | (uint)i),
            "decimal128" => new Decimal128(new UInt128((ulong)i, (ulong)i)),
            _ => new DescribedValue(((ulong)i << 32) | (uint)i, ((long)i << 32) | (uint)i),
        };

    [Theory, MemberData(nameof(Kinds))]
    public void Keys_that_a_peer_chooses_do_not_collide(string kind)
    {
        var keys = Enumerable.Range(0, Keys).Select(i => Key(kind, i)).Distinct(KeyComparer.Instance).ToList();
        Assert.InRange(keys.Count, Keys / 2, Keys);
        var buckets = keys.GroupBy(key => (uint)KeyComparer.Instance.GetHashCode(key) % Buckets)
            .Max(bucket => bucket.Count());
        Assert.InRange(buckets, 1, 5);
    }

    [Theory, MemberData(nameof(Kinds))]
    public void A_map_finds_its_keys_and_refuses_one_that_comes_twice(string kind)
    {
        var map = new Dictionary<object, object?>
        {
            [Key(kind, 7)] = 1,
            ["text"] = 2,
            [new Symbol("text")] = 3,
            [true] = 4,
        };
        var encoded = Bytes.Encode(writer => writer.WriteValue(map));
        var read = (Dictionary<object, object?>)new AmqpReader(encoded).ReadValue()!;
        Assert.Same(KeyComparer.Instance, read.Comparer);
        Assert.Equal([1, 2, 3, 4], new[] { Key(kind, 7), "text", new Symbol("text"), true }.Select(key => read[key]));
        Assert.False(read.ContainsKey(Key(kind, 8)));

        var key = Bytes.Encode(writer => writer.WriteValue(Key(kind, 7)));
        byte[] twice =
        [
            FormatCode.Map8,
            (byte)(2 * key.Length + 3),
            4,
            .. key,
            FormatCode.Null,
            .. key,
            FormatCode.Null,
        ];
        Assert.Equal(ErrorConditions.DecodeError, Damage.Decode(twice));
    }
}
