using System.Runtime.InteropServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Numbers the distinct combinations of column values, for grouping and joining.</summary>
/// <remarks>Numbers the values of each column first, and then pairs of numbers from left to right.</remarks>
internal sealed class KeyIndex(IReadOnlyList<ColumnType> types)
{
    // Pairs of equal numbers would have the hash 0, so pairs are multiplied by this odd number, which is invertible.
    private const long Factor = unchecked((long)0x9E3779B97F4A7C15UL);
    private const long Inverse = unchecked((long)0xF1DE83E19937733DUL);

    private readonly ValueIndex[] _values = [.. types.Select(ValueIndex.For)];
    private readonly ValueIndex[] _pairs = [.. types.Skip(1).Select(_ => ValueIndex.For(ColumnType.Long))];

    public int Count => (_pairs is [.., var last] ? last : _values[0]).Count;

    /// <param name="add"><c>true</c> to number new combinations; otherwise, they're −1.</param>
    public int[] Number(IReadOnlyList<Column> columns, int length, bool add = true)
    {
        var numbers = _values[0].Number(columns[0], length, add);
        for (var i = 0; i < _pairs.Length; i++)
        {
            var next = _values[i + 1].Number(columns[i + 1], length, add);
            numbers = _pairs[i].Number(Pairs(numbers, next), length, add);
        }
        return numbers;
    }

    public Column[] Keys()
    {
        var columns = new Column[_values.Length];
        var numbers = Enumerable.Range(0, Count).ToArray();
        for (var i = _values.Length - 1; i > 0; i--)
        {
            var pairs = _pairs[i - 1].Values.As<long>();
            var combined = Array.ConvertAll(numbers, number => unchecked(pairs[number] * Inverse));
            columns[i] = _values[i].Values.Take(Array.ConvertAll(combined, pair => (int)pair));
            numbers = Array.ConvertAll(combined, pair => (int)(pair >> 32));
        }
        columns[0] = _values[0].Values.Take(numbers);
        return columns;
    }

    public static long Pair(int first, int second) => unchecked((((long)first << 32) | (uint)second) * Factor);

    private static Values<long> Pairs(int[] first, int[] second)
    {
        var pairs = new long[first.Length];
        bool[]? nulls = null;
        for (var i = 0; i < pairs.Length; i++)
        {
            pairs[i] = Pair(first[i], second[i]);
            if (first[i] < 0 || second[i] < 0)
                (nulls ??= new bool[pairs.Length])[i] = true;
        }
        return new(ColumnType.Long, pairs, nulls, pairs.Length);
    }
}

internal abstract class ValueIndex
{
    public abstract int Count { get; }

    public abstract Column Values { get; }

    public abstract int[] Number(Column column, int length, bool add);

    public static ValueIndex For(ColumnType type) =>
        type switch
        {
            ColumnType.Bool => new Of<bool>(type),
            ColumnType.Real => new Of<double>(type),
            ColumnType.String => new Of<string>(type),
            ColumnType.Dynamic => throw new ArgumentOutOfRangeException(
                nameof(type),
                "A dynamic value can't be a key."
            ),
            _ => new Of<long>(type),
        };

    private sealed class Of<T>(ColumnType type) : ValueIndex
        where T : notnull
    {
        private readonly Dictionary<T, int> _numbers = [];
        private readonly List<T> _values = [];
        private int _null = -1;

        public override int Count => _values.Count;

        public override Column Values =>
            new Values<T>(
                type,
                [.. _values],
                _null < 0 ? null : [.. Enumerable.Range(0, Count).Select(number => number == _null)],
                Count
            );

        public override int[] Number(Column column, int length, bool add)
        {
            var numbers = new int[length];
            if (column.Codes is { } codes && column.Distinct is { } distinct && distinct.Length <= length)
                NumberCoded(distinct, codes, numbers, add);
            else
                NumberRows(column.As<T>(), numbers, add);
            return numbers;
        }

        private void NumberCoded(Column distinct, int[] codes, int[] numbers, bool add)
        {
            const int Unseen = -2;
            var values = distinct.As<T>();
            var byCode = new int[distinct.Length];
            Array.Fill(byCode, Unseen);
            for (var i = 0; i < numbers.Length; i++)
            {
                ref var number = ref byCode[codes[i]];
                if (number == Unseen)
                    number = Find(values, codes[i], add); // Values without rows get no number.
                numbers[i] = number;
            }
        }

        private void NumberRows(Reader<T> values, int[] numbers, bool add)
        {
            for (var i = 0; i < numbers.Length; i++)
            {
                // Rows are ordered by time, so the bin is mostly the previous one.
                var same = i > 0 && !values.HasNulls && EqualityComparer<T>.Default.Equals(values[i], values[i - 1]);
                numbers[i] = same ? numbers[i - 1] : Find(values, i, add);
            }
        }

        private int Find(Reader<T> values, int row, bool add)
        {
            if (values.IsNull(row))
                return _null >= 0 || !add ? _null : _null = Append(default!);
            if (!add)
                return _numbers.GetValueOrDefault(values[row], -1);
            ref var number = ref CollectionsMarshal.GetValueRefOrAddDefault(_numbers, values[row], out var exists);
            return exists ? number : number = Append(values[row]);
        }

        private int Append(T value)
        {
            _values.Add(value);
            return _values.Count - 1;
        }
    }
}
