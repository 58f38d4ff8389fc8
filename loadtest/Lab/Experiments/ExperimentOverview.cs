using DroneDelivery.Lab.Measure;
using DroneDelivery.Lab.Report;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Charts that several variants have, with all of them on one axis.</summary>
internal static class ExperimentOverview
{
    public static Html Of(ExperimentRecord record)
    {
        var shared = record.Variants
            .SelectMany(variant => variant.Exhibits.Charts.Select(chart => (Variant: variant.Name, Chart: chart)))
            .GroupBy(it => it.Chart.Title)
            .Where(same => same.Count() > 1)
            .SelectMany(same => InParts([.. same]))
            .ToList();
        var charts = shared.Count == 0 ? Html.Empty : Html.Of($"""
            <h3>The variants on one axis</h3>
            <div class="charts">{shared.Select((part, i) => Render($"{record.Name}-all-{i}", part))}</div>

            """);
        return Html.Of($"{charts}{TradeoffOf(record, Experiment.Load(record.Name))}");
    }

    private static Html TradeoffOf(ExperimentRecord record, Experiment experiment)
    {
        if (experiment.Tradeoff is not { } tradeoff)
            return Html.Empty;
        var points =
            (from variant in record.Variants
             let figures = variant.Exhibits.Figures
             where figures.ContainsKey($"{variant.Name}.{tradeoff.X}") && figures.ContainsKey($"{variant.Name}.{tradeoff.Y}")
             select (variant.Name, figures[$"{variant.Name}.{tradeoff.X}"], figures[$"{variant.Name}.{tradeoff.Y}"])).ToList();
        return points.Count < 2 ? Html.Empty : new ScatterChart(
            $"{record.Name}-tradeoff", tradeoff.Title, tradeoff.Says, AxisOf(tradeoff.X), AxisOf(tradeoff.Y), points).Render();

        string AxisOf(string figure) => $"{experiment.Figures[figure].Meaning},{experiment.Figures[figure].Unit}";
    }

    /// <summary>As few charts as there are colours for, about equally full.</summary>
    private static IEnumerable<(string Variant, ExperimentChart Chart)[]> InParts(
        IReadOnlyList<(string Variant, ExperimentChart Chart)> all)
    {
        var lines = all.Max(it => it.Chart.Lines.Count);
        var parts = (all.Count * lines + Palette.Series.Count - 1) / Palette.Series.Count;
        return all.Chunk((all.Count + parts - 1) / parts);
    }

    private static Html Render(string id, (string Variant, ExperimentChart Chart)[] part)
    {
        var first = part[0].Chart;
        var lines = part.SelectMany(it => it.Chart.Lines.Select(line => ExperimentReport.LineOf(line) with
        {
            Name = it.Chart.Lines.Count == 1 ? it.Variant : $"{it.Variant}, {line.Name}",
        }));
        return SvgChart.Render(
            new(id, first.Title, $"Variants {string.Join(", ", part.Select(it => it.Variant))}.", first.Unit, Palette.Paint(lines), []),
            first.Query is { } query ? Source.Of(query, QueryFile.Text(query)) : Html.Empty);
    }
}
