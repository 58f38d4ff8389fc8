using DroneDelivery.Telemetry.Tables;

namespace DroneDelivery.Telemetry.Query;

internal static class ChosenRowCall
{
    /// <param name="sign">1 for the largest value, −1 for the smallest, 0 for the first.</param>
    public static AggregateColumns Bind(Call call, SummarizeBinder binder, string prefix, int sign)
    {
        if (call.Arguments.Count == 0)
        {
            throw binder.Error(
                call.At,
                $"'{call.Function}' takes at least one argument.",
                "For example: arg_max(timestamp, *)."
            );
        }

        var chosen = call
            .Arguments.SelectMany(
                (argument, i) =>
                    argument is Star
                        ? OtherColumns(call, binder)
                        : [(ColumnNames.Of(argument) ?? Name(call, prefix, i), binder.Bind(argument))]
            )
            .ToList();
        if (chosen[0].Value.Type == ColumnType.Dynamic && sign != 0)
        {
            throw binder.Error(
                call.Arguments[0].At,
                "dynamic values cannot be ordered.",
                "Write todouble(…) around it."
            );
        }
        ColumnType[] types = [.. chosen.Select(each => each.Value.Type)];
        return new(
            new(types, context => new ChosenRow(types, sign, context)),
            [.. chosen.Select(each => each.Value)],
            [.. chosen.Select(each => each.Name)]
        );
    }

    private static string Name(Call call, string prefix, int position) =>
        position == 0 ? $"{prefix}_" : $"{prefix}_{ColumnNames.Of(call.Arguments[0])}_arg{position}";

    private static IEnumerable<(string Name, Scalar Value)> OtherColumns(Call call, SummarizeBinder binder)
    {
        var named = call.Arguments.OfType<Name>().Select(name => name.Text).ToHashSet();
        for (var i = 0; i < binder.Columns.Count; i++)
        {
            var column = binder.Columns[i];
            if (!named.Contains(column.Name) && !binder.HasResult(column.Name))
                yield return (column.Name, new ColumnScalar(column.Type, i));
        }
    }
}
