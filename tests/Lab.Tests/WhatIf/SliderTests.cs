namespace DroneDelivery.Lab.Tests.WhatIf;

public sealed class SliderTests
{
    private static readonly string[] WithoutSlider =
    [
        // They change nothing that the model measures.
        "http.concurrencyLimit",
        "http.concurrencyQueue",
        "redis.operationTimeout",
        "workflow.retryDelay",
        // Their values lie between minutes and months.
        "workflow.retryFor",
        "redis.keyTimeToLive",
        // redis.deliveriesThatFit says the same in deliveries.
        "redis.maxMemory",
        "load.instructions",
    ];

    [Fact]
    public void Every_knob_that_is_a_number_has_a_slider_or_needs_none()
    {
        var numbers = KnobTable.All.Where(knob => knob.Unit is not (KnobUnit.Word or KnobUnit.SecondsList));

        Assert.Equal(
            numbers.Select(knob => knob.Name).Except(WithoutSlider).Order(),
            Slider.All.Select(slider => slider.Name).Order()
        );
    }

    [Fact]
    public void A_slider_stays_within_its_knob_and_can_be_moved() => Assert.All(Slider.All, slider =>
        {
            Assert.InRange(slider.Min, slider.Knob.Min, slider.Max);
            Assert.InRange(slider.Max, slider.Min + slider.Step, slider.Knob.Max);
            Assert.All((string[])["azure-2020", "none"], environment =>
                Assert.InRange(
                    slider.Published(
                        Stage.Load("1"),
                        StepProfile.Load("step-40"),
                        DeclaredEnvironment.Load(environment)
                    ),
                    slider.Knob.Min,
                    slider.Knob.Max
                )
            );
        });
}
