using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

/// <summary>min and max; null when there is nothing to choose from.</summary>
internal static class Extremes
{
    public static AggregateShape? Of(ColumnType type, int sign) =>
        type switch
        {
            ColumnType.Real => new(type, () => new Extreme<double>(type, sign)),
            ColumnType.Bool => new(type, () => new Extreme<bool>(type, sign)),
            ColumnType.String => new(type, () => new ExtremeText(sign)),
            ColumnType.Dynamic => null,
            _ => new(type, () => new Extreme<long>(type, sign)),
        };

    private sealed class Extreme<T>(ColumnType type, int sign) : Aggregate
        where T : struct, IComparable<T>
    {
        private T[] _best = [];
        private bool[] _found = [];

        public override void Add(Column[] arguments, int[] groups, int count)
        {
            Grow(ref _best, count);
            Grow(ref _found, count);
            var values = arguments[0].As<T>();
            for (var i = 0; i < groups.Length; i++)
            {
                var group = groups[i];
                if (values.IsNull(i) || (_found[group] && values[i].CompareTo(_best[group]) * sign <= 0))
                    continue;
                (_best[group], _found[group]) = (values[i], true);
            }
        }

        public override Column[] Finish(int count)
        {
            Grow(ref _best, count);
            Grow(ref _found, count);
            return [new Values<T>(type, _best, Array.ConvertAll(_found, found => !found), count)];
        }
    }

    private sealed class ExtremeText(int sign) : Aggregate
    {
        private string?[] _best = [];

        public override void Add(Column[] arguments, int[] groups, int count)
        {
            Grow(ref _best, count);
            var values = arguments[0].As<string>();
            for (var i = 0; i < groups.Length; i++)
            {
                if (_best[groups[i]] is not { } best || string.CompareOrdinal(values[i], best) * sign > 0)
                    _best[groups[i]] = values[i];
            }
        }

        public override Column[] Finish(int count)
        {
            Grow(ref _best, count);
            return [new Values<string>(ColumnType.String, Array.ConvertAll(_best, text => text ?? ""), null, count)];
        }
    }
}
