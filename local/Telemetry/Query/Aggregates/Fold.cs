using System.Numerics;
using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>An aggregate that folds values into a state per group, without nulls.</summary>
internal sealed class Fold<T, S>(Func<S, T, S> add, Func<S[], Column> finish) : Aggregate
{
    private S[] _states = [];

    public override void Add(Column[] arguments, int[] groups, int count)
    {
        Grow(ref _states, count);
        var values = arguments[0].As<T>();
        for (var i = 0; i < groups.Length; i++)
        {
            if (!values.IsNull(i))
                _states[groups[i]] = add(_states[groups[i]], values[i]);
        }
    }

    public override Column[] Finish(int count)
    {
        Grow(ref _states, count);
        return [finish(_states[..count])];
    }
}

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

/// <summary>sum, avg, stdev, min, and max. Without values, the sum is 0, the average NaN, and the minimum null.</summary>
internal static class Folds
{
    public static AggregateShape? Sum(ColumnType type) =>
        type switch
        {
            ColumnType.Int or ColumnType.Long => Sum<long>(ColumnType.Long),
            ColumnType.Real => Sum<double>(type),
            ColumnType.TimeSpan => Sum<long>(type),
            _ => null,
        };

    public static AggregateShape? Average(ColumnType type) => OfNumbers(type, moments => moments.Mean, ofSpans: true);

    public static AggregateShape? Deviation(ColumnType type) => OfNumbers(type, moments => moments.Deviation);

    public static AggregateShape? Extreme(ColumnType type, int sign) =>
        type switch
        {
            ColumnType.Real => Extreme(type, sign, Comparer<double>.Default),
            ColumnType.Bool => Extreme(type, sign, Comparer<bool>.Default),
            ColumnType.String => Extreme(type, sign, StringComparer.Ordinal),
            ColumnType.Dynamic => null,
            _ => Extreme(type, sign, Comparer<long>.Default),
        };

    private static AggregateShape Sum<T>(ColumnType type)
        where T : INumber<T> =>
        new(type, () =>
            new Fold<T, T>((total, value) => total + value, totals => new Values<T>(type, totals, null, totals.Length))
        );

    private static AggregateShape Extreme<T>(ColumnType type, int sign, IComparer<T> comparer) =>
        new([type], context => new Fold<T, (bool Found, T Value)>(
            (best, value) => best.Found && comparer.Compare(value, best.Value) * sign <= 0 ? best : (true, value),
            groups =>
            {
                var values = new ColumnMaker<T>(type, groups.Length, context);
                for (var i = 0; i < groups.Length; i++)
                {
                    if (groups[i].Found)
                        values.Set(i, groups[i].Value);
                    else
                        values.SetNull(i);
                }
                return values.Column;
            }
        ));

    private static AggregateShape? OfNumbers(ColumnType type, Func<Moments, double> result, bool ofSpans = false)
    {
        return type switch
        {
            ColumnType.Real => Of<double>(type, Reals),
            ColumnType.Int or ColumnType.Long => Of<long>(ColumnType.Real, Reals),
            ColumnType.TimeSpan when ofSpans => Of<long>(type, Spans),
            _ => null,
        };

        AggregateShape Of<T>(ColumnType resultType, Func<Moments[], Column> finish)
            where T : INumber<T> =>
            new(resultType, () =>
                new Fold<T, Moments>((moments, value) => moments.With(double.CreateChecked(value)), finish)
            );

        Column Reals(Moments[] groups) =>
            new Values<double>(ColumnType.Real, Array.ConvertAll(groups, group => result(group)), null, groups.Length);

        Column Spans(Moments[] groups) =>
            new Values<long>(
                type,
                Array.ConvertAll(groups, group => group.Count == 0 ? 0 : (long)result(group)),
                Array.ConvertAll(groups, group => group.Count == 0),
                groups.Length
            );
    }
}

/// <summary>Count, mean, and squared distance from the mean, updated by Welford's algorithm to avoid cancellation.</summary>
internal readonly record struct Moments(long Count, double Center, double Squares)
{
    public double Mean => Count == 0 ? double.NaN : Center;

    /// <summary>The sample standard deviation (n − 1), 0 for one value.</summary>
    public double Deviation =>
        Count switch
        {
            0 => double.NaN,
            1 => 0,
            _ => Math.Sqrt(Squares / (Count - 1)),
        };

    public Moments With(double value)
    {
        var distance = value - Center;
        var center = Center + (distance / (Count + 1));
        return new(Count + 1, center, Squares + (distance * (value - center)));
    }
}
