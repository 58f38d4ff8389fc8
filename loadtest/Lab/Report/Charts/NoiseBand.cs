namespace DroneDelivery.Lab.Report;

/// <summary>A difference as a dot, beside the band of what noise explains.</summary>
internal static class NoiseBand
{
    private const double Width = 160, Height = 16, Margin = 5;

    /// <param name="share">Of what it differs from; null where that is nothing.</param>
    /// <param name="noise">Share by which equal things may differ.</param>
    public static Html Render(double? share, double noise) => share is not { } difference ? Html.Empty : Html.Of(
        $"""<svg class="band" viewBox="0 0 {Width} {Height}" width="{Width}" height="{Height}" aria-hidden="true">"""
        + $"""<rect x="{At(-noise):0.#}" y="2" width="{At(noise) - At(-noise):0.#}" height="12" rx="2"/>"""
        + $"""<path d="M{At(0):0.#} 0V{Height}"/>"""
        + $"""<circle cx="{At(difference):0.#}" cy="{Height / 2}" r="4"/></svg>""");

    private static double At(double share) => Margin + (Math.Clamp(share, -1, 1) + 1) / 2 * (Width - 2 * Margin);
}
