using System.Runtime.InteropServices;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>Numbers the distinct combinations of some columns from 0: the groups of a summarize, the matches of a join.</summary>
/// <remarks>Each column numbers its own values first; then pairs of numbers get numbers, from left to right.</remarks>
internal sealed class KeyIndex
{
    private readonly ValueIndex[] _values;
    private readonly PairIndex[] _pairs;

    /// <param name="types">At least one.</param>
    public KeyIndex(IReadOnlyList<ColumnType> types)
    {
        _values = [.. types.Select(ValueIndex.For)];
        _pairs = [.. types.Skip(1).Select(_ => new PairIndex())];
    }

    public int Count => _pairs.Length > 0 ? _pairs[^1].Count : _values[0].Count;

    /// <summary>The number of each row's combination.</summary>
    /// <param name="add">Whether new combinations get a number; otherwise they are −1.</param>
    public int[] Number(IReadOnlyList<Column> columns, int length, bool add = true)
    {
        var numbers = new int[length];
        _values[0].Number(columns[0], numbers, add);
        if (_pairs.Length == 0)
            return numbers;
        var next = new int[length];
        for (var i = 0; i < _pairs.Length; i++)
        {
            _values[i + 1].Number(columns[i + 1], next, add);
            _pairs[i].Number(numbers, next, add);
        }
        return numbers;
    }

    /// <summary>The values of each combination, in the order of their numbers.</summary>
    public Column[] Keys()
    {
        var columns = new Column[_values.Length];
        var numbers = Enumerable.Range(0, Count).ToArray();
        for (var i = _values.Length - 1; i > 0; i--)
        {
            var pairs = _pairs[i - 1].Pairs;
            columns[i] = _values[i].Values.Take(Array.ConvertAll(numbers, number => pairs[number].Second));
            numbers = Array.ConvertAll(numbers, number => pairs[number].First);
        }
        columns[0] = _values[0].Values.Take(numbers);
        return columns;
    }

    /// <summary>A pair of numbers as a key that hashes well. As it is, each pair of equal numbers would have the hash 0.</summary>
    public static long Mixed(long pair) => unchecked(pair * (long)0x9E3779B97F4A7C15UL);

    private sealed class PairIndex
    {
        private readonly Dictionary<long, int> _numbers = [];

        public List<(int First, int Second)> Pairs { get; } = [];

        public int Count => Pairs.Count;

        /// <summary>Replaces the first numbers by those of the pairs.</summary>
        public void Number(int[] first, int[] second, bool add)
        {
            var (lastKey, lastNumber) = (-1L, -1);
            for (var i = 0; i < first.Length; i++)
            {
                var key = ((long)first[i] << 32) | (uint)second[i];
                if (key != lastKey)
                    (lastKey, lastNumber) = (key, first[i] < 0 || second[i] < 0 ? -1 : Find(key, add));
                first[i] = lastNumber;
            }
        }

        private int Find(long key, bool add)
        {
            if (!add)
                return _numbers.GetValueOrDefault(Mixed(key), -1);
            ref var number = ref CollectionsMarshal.GetValueRefOrAddDefault(_numbers, Mixed(key), out var exists);
            if (exists)
                return number;
            Pairs.Add(((int)(key >> 32), (int)key));
            return number = Pairs.Count - 1;
        }
    }
}

/// <summary>Numbers the distinct values of one column.</summary>
internal abstract class ValueIndex
{
    public abstract int Count { get; }

    /// <summary>In the order of their numbers.</summary>
    public abstract Column Values { get; }

    public abstract void Number(Column column, int[] numbers, bool add);

    public static ValueIndex For(ColumnType type) =>
        type switch
        {
            ColumnType.Bool => new Of<bool>(type),
            ColumnType.Real => new Of<double>(type),
            ColumnType.String => new Of<string>(type),
            ColumnType.Dynamic => throw new ArgumentOutOfRangeException(nameof(type), "A dynamic value is no key."),
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

        public override void Number(Column column, int[] numbers, bool add)
        {
            if (column is Coded coded && coded.Distinct.Length <= numbers.Length)
                NumberCoded(coded, numbers, add);
            else
                NumberRows(column.As<T>(), numbers, add);
        }

        private void NumberCoded(Coded column, int[] numbers, bool add)
        {
            const int Unseen = -2;
            var distinct = column.Distinct.As<T>();
            var byCode = new int[distinct.Length];
            Array.Fill(byCode, Unseen);
            for (var i = 0; i < numbers.Length; i++)
            {
                ref var number = ref byCode[column.Codes[i]];
                if (number == Unseen)
                    number = Find(distinct, column.Codes[i], add); // a value that no row has gets no number
                numbers[i] = number;
            }
        }

        private void NumberRows(Values<T> values, int[] numbers, bool add)
        {
            if (values.IsConstant)
            {
                if (numbers.Length > 0)
                    Array.Fill(numbers, Find(values, 0, add));
                return;
            }
            for (var i = 0; i < numbers.Length; i++)
            {
                // Rows come in the order of time: the bin is mostly the one before.
                var same = i > 0 && !values.HasNulls && EqualityComparer<T>.Default.Equals(values[i], values[i - 1]);
                numbers[i] = same ? numbers[i - 1] : Find(values, i, add);
            }
        }

        private int Find(Values<T> values, int row, bool add)
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
