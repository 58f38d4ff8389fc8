using System.Numerics;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal sealed class CountRows : Aggregate
{
    private long[] _counts = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _counts, count);
        foreach (var group in groups)
            _counts[group]++;
    }

    public override Column[] Finish(int count) => Finished(ColumnType.Long, _counts, count);
}

/// <summary>sum, avg, stdev. The sum of nothing is 0, its average is no number.</summary>
internal static class Sums
{
    public static AggregateShape? Sum(ColumnType type) =>
        type switch
        {
            ColumnType.Int or ColumnType.Long => new(ColumnType.Long, () => new Total<long>(ColumnType.Long)),
            ColumnType.Real => new(ColumnType.Real, () => new Total<double>(ColumnType.Real)),
            ColumnType.TimeSpan => new(ColumnType.TimeSpan, () => new Total<long>(ColumnType.TimeSpan)),
            _ => null,
        };

    public static AggregateShape? Average(ColumnType type) =>
        type == ColumnType.TimeSpan
            ? new(type, () => new Moments(type, moments => moments.Mean))
            : OfNumbers(type, moments => moments.Mean);

    public static AggregateShape? Deviation(ColumnType type) => OfNumbers(type, moments => moments.Deviation);

    private static AggregateShape? OfNumbers(ColumnType type, Func<State, double> result) =>
        type is ColumnType.Int or ColumnType.Long or ColumnType.Real
            ? new(ColumnType.Real, () => new Moments(type, result))
            : null;

    private sealed class Total<T>(ColumnType type) : Aggregate
        where T : struct, INumber<T>
    {
        private T[] _totals = [];

        public override void Add(Column[] arguments, int[] groups, int count)
        {
            Grow(ref _totals, count);
            var values = arguments[0].As<T>();
            for (var i = 0; i < groups.Length; i++)
            {
                if (!values.IsNull(i))
                    _totals[groups[i]] += values[i];
            }
        }

        public override Column[] Finish(int count) => Finished(type, _totals, count);
    }

    /// <summary>Count, mean and squared distance from the mean, updated value by value (Welford): no cancellation in long runs.</summary>
    private struct State
    {
        private long _count;
        private double _mean,
            _squares;

        public readonly double Mean => _count == 0 ? double.NaN : _mean;

        /// <summary>Of a sample: n − 1. One value deviates by 0.</summary>
        public readonly double Deviation =>
            _count switch
            {
                0 => double.NaN,
                1 => 0,
                _ => Math.Sqrt(_squares / (_count - 1)),
            };

        public void Add(double value)
        {
            _count++;
            var distance = value - _mean;
            _mean += distance / _count;
            _squares += distance * (value - _mean);
        }
    }

    private sealed class Moments(ColumnType type, Func<State, double> result) : Aggregate
    {
        private State[] _states = [];

        public override void Add(Column[] arguments, int[] groups, int count)
        {
            Grow(ref _states, count);
            if (type == ColumnType.Real)
                Add(arguments[0].As<double>(), groups, value => value);
            else
                Add(arguments[0].As<long>(), groups, value => value);
        }

        public override Column[] Finish(int count)
        {
            Grow(ref _states, count);
            var results = _states.Take(count).Select(result).ToArray();
            if (type != ColumnType.TimeSpan)
                return [new Values<double>(ColumnType.Real, results, null, count)];
            var none = Array.ConvertAll(results, double.IsNaN);
            return
            [
                new Values<long>(
                    type,
                    Array.ConvertAll(results, ticks => double.IsNaN(ticks) ? 0 : (long)ticks),
                    none,
                    count
                ),
            ];
        }

        private void Add<T>(Values<T> values, int[] groups, Func<T, double> number)
        {
            for (var i = 0; i < groups.Length; i++)
            {
                if (!values.IsNull(i))
                    _states[groups[i]].Add(number(values[i]));
            }
        }
    }
}
