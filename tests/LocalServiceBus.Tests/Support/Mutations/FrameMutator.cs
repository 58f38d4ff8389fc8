using System.Buffers.Binary;
using System.Collections;

namespace DroneDelivery.LocalServiceBus.Tests.Support.Mutations;

/// <summary>Turns a valid frame into an invalid one in many ways.</summary>
internal sealed class FrameMutator(Random random)
{
    // Codes of null, numbers, binary, strings, symbols, lists, maps, and arrays; limits of ranges.
    private static readonly byte[] LikelyBytes =
    [
        0x40,
        0x41,
        0x43,
        0x44,
        0x45,
        0x52,
        0x53,
        0x54,
        0x70,
        0x80,
        0x83,
        0x98,
        0xa0,
        0xa1,
        0xa3,
        0xb1,
        0xc0,
        0xc1,
        0xe0,
        0,
        1,
        0x7f,
        0xff,
    ];

    private static readonly object?[] Numbers =
    [
        (byte)0,
        (byte)255,
        (ushort)65535,
        0u,
        1u,
        2u,
        (uint)int.MaxValue,
        uint.MaxValue,
        0ul,
        ulong.MaxValue,
        (sbyte)-1,
        short.MinValue,
        0,
        -1,
        int.MaxValue,
        int.MinValue,
        0L,
        1L,
        -1L,
        long.MaxValue,
        long.MinValue,
        1.5f,
        double.NaN,
    ];

    private static readonly object?[] Texts =
    [
        "",
        "x",
        new string('x', 300),
        "é\0",
        "orders",
        "trips",
        "events/subscriptions/all",
        "one",
        "completed",
        "1=1 AND (",
        "SET",
        (Symbol)"",
        (Symbol)"orders",
    ];

    // Too short or too long for transaction ids and delivery tags.
    private static readonly object?[] Binaries =
    [
        Array.Empty<byte>(),
        new byte[1],
        new byte[15],
        new byte[16],
        new byte[17],
        new byte[33],
        new byte[4000],
    ];

    private static readonly object?[] Lists =
    [
        new List<object?>(),
        new List<object?> { new List<object?> { null } },
        new List<object?> { "a", 1L, Guid.Empty },
        new List<object?> { 1L, 2L },
        new List<object?> { Guid.Empty },
        Array.Empty<long>(),
        new long[] { 1, 1, long.MaxValue },
        new[] { Guid.Empty },
        new Symbol[] { "a", "b" },
        new[] { "a" },
        new long[5000],
    ];

    private static readonly object?[] Others =
    [
        null,
        true,
        false,
        DateTimeOffset.UnixEpoch,
        new DateTimeOffset(9999, 12, 31, 0, 0, 0, TimeSpan.Zero),
        Guid.Empty,
        new Dictionary<object, object?>(),
        new Dictionary<object, object?> { [1] = null, ["a"] = new List<object?>() },
        new DescribedValue(Accepted.Code, new List<object?>()),
        new DescribedValue(Modified.Code, new List<object?> { true, true }),
        new DescribedValue((Symbol)"no:such:list", new List<object?>()),
        new DescribedValue(ulong.MaxValue, "x"),
    ];

    private static readonly object?[][] Kinds = [Numbers, Texts, Binaries, Lists, Others];

    /// <summary>Returns a frame with a correct size, so that the broker reads all of it.</summary>
    public byte[] Of(FrameValues frame) =>
        random.Next(10) switch
        {
            < 5 => WithOtherValue(frame).ToBytes(),
            < 9 => Damaged(frame.ToBytes()),
            _ => Resized(frame.ToBytes()),
        };

    /// <summary>
    /// Truncates a frame. Send it last: the broker waits for the rest, or misinterprets the bytes that follow.
    /// </summary>
    public byte[] Cut(byte[] frame)
    {
        var cut = frame[..random.Next(1, frame.Length)];
        if (random.Next(2) == 0)
            cut[random.Next(Math.Min(4, cut.Length))] = (byte)random.Next(256);
        return cut;
    }

    public byte[] Damaged(byte[] frame)
    {
        var damaged = frame.ToArray();
        for (var bytes = random.Next(1, 4); bytes > 0; bytes--)
        {
            // Keeps the size. The bytes after it are the body offset, the type, and the channel.
            var at = random.Next(random.Next(8) == 0 ? 4 : 8, Math.Max(9, frame.Length));
            if (at < damaged.Length)
            {
                damaged[at] =
                    random.Next(2) == 0 ? (byte)random.Next(256) : LikelyBytes[random.Next(LikelyBytes.Length)];
            }
        }
        return damaged;
    }

    /// <summary>Replaces one value and keeps the frame well-formed, because decodable frames get further.</summary>
    private FrameValues WithOtherValue(FrameValues frame) =>
        frame.Sections.Count > 0 && random.Next(3) > 0
            ? frame with
            {
                Sections = Changed(frame.Sections),
            }
            : frame with
            {
                Fields = Changed(frame.Fields),
            };

    /// <summary>Removes the last value or adds a byte, with the size adjusted.</summary>
    private byte[] Resized(byte[] frame)
    {
        var resized = frame[..random.Next(8, frame.Length + 1)].Append((byte)random.Next(256)).ToArray();
        BinaryPrimitives.WriteInt32BigEndian(resized, resized.Length);
        return resized;
    }

    private List<object?> Changed(List<object?> values)
    {
        var changed = values.ToList();
        var at = Where(values);
        var kind = values.Count == 0 ? 0 : random.Next(10);
        switch (kind)
        {
            case 0:
                changed.Add(Likely());
                break;
            case 1:
                changed.RemoveRange(at, values.Count - at);
                break;
            case 2:
                changed.Insert(at, changed[random.Next(values.Count)]);
                break;
            default:
                changed[at] = Other(values[at]);
                break;
        }
        return changed;
    }

    /// <summary>Prefers nested values half of the time: the state of a delivery, the body of a request.</summary>
    private int Where(List<object?> values)
    {
        var compounds = Enumerable
            .Range(0, values.Count)
            .Where(at => values[at] is DescribedValue or IDictionary or List<object?>)
            .ToList();
        return compounds.Count > 0 && random.Next(2) == 0
            ? compounds[random.Next(compounds.Count)]
            : random.Next(Math.Max(1, values.Count));
    }

    /// <summary>Mostly changes the value inside.</summary>
    private object? Other(object? value) =>
        random.Next(5) == 0
            ? Likely()
            : value switch
            {
                DescribedValue { Value: List<object?> list } described => described with { Value = Changed(list) },
                DescribedValue described => described with { Value = Other(described.Value) },
                List<object?> list => Changed(list),
                Dictionary<Symbol, object?> map => Changed(map, (Symbol)"other"),
                Dictionary<string, object?> map => Changed(map, "other"),
                Dictionary<object, object?> map => Changed(map, Likely() ?? "other"),
                _ => Like(value),
            };

    private Dictionary<TKey, object?> Changed<TKey>(Dictionary<TKey, object?> map, TKey other)
        where TKey : notnull
    {
        var changed = new Dictionary<TKey, object?>(map);
        var kind = map.Count == 0 ? 0 : random.Next(6);
        var key = map.Count == 0 ? other : map.Keys.ElementAt(random.Next(map.Count));
        switch (kind)
        {
            case 0:
                changed[other] = Likely();
                break;
            case 1:
                changed.Remove(key);
                break;
            default:
                changed[key] = Other(map[key]);
                break;
        }
        return changed;
    }

    /// <summary>Mostly returns a value of the same kind, because the broker rejects other kinds early.</summary>
    private object? Like(object? value) =>
        random.Next(3) == 0
            ? Likely()
            : value switch
            {
                string or Symbol => Pick(Texts),
                byte[] => Pick(Binaries),
                Array => Pick(Lists),
                uint number => Near(number),
                not null and not bool and not Guid and not DateTimeOffset => Pick(Numbers),
                _ => Likely(),
            };

    /// <summary>Prefers neighboring numbers, the most likely errors in handles, ids, and credit.</summary>
    private object? Near(uint number) =>
        random.Next(2) == 0 ? unchecked(number + (uint)random.Next(-2, 3)) : Pick(Numbers);

    private object? Likely() => Pick(Kinds[random.Next(Kinds.Length)]);

    private object? Pick(object?[] values) => values[random.Next(values.Length)];
}
