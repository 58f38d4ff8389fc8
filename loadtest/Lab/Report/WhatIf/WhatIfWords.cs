using DroneDelivery.Lab.Predict;
using DroneDelivery.Lab.Stages;
using DroneDelivery.Model.Planning;

namespace DroneDelivery.Lab.Report;

/// <summary>What binds, in sentences.</summary>
internal static class WhatIfWords
{
    /// <param name="plan">As it is played.</param>
    /// <param name="measured">In the simulation.</param>
    /// <param name="formulas">Of what is played.</param>
    /// <param name="fullLength">Of what is typed.</param>
    public static Html Of(StagePlan plan, Measured measured, Plan formulas, Plan fullLength) => Html.Of(
        $"<p class=\"binds\">{Binds(formulas)}</p><p>{Next(formulas)} {Locks(measured, fullLength)}</p>{LeftOut(plan)}");

    private static string Binds(Plan formulas) => formulas.Binds.Kind switch
    {
        LimitKind.Load => $"The load binds: all {NumberText.Of(formulas.Incoming)}/s can be completed.",
        LimitKind.Lock when formulas.Binds.Rate > 0 =>
            "Prefetch against lock binds: some buffered messages wait for longer than their locks, and the work for them is wasted.",
        LimitKind.Lock =>
            "Prefetch against lock binds: buffered messages wait for longer than their locks, and nothing is completed any more.",
        LimitKind.Cache => "Redis binds: its memory is full, and nothing is completed any more.",
        LimitKind.Cpu or LimitKind.Intake => $"CPU binds: {PlanText.Of(formulas.Binds)}.",
        _ => $"Calls at a time bind: {PlanText.Of(formulas.Binds)}.",
    };

    private static string Next(Plan formulas) => formulas.Next is { } next ? $"Next behind it: {PlanText.Of(next)}." : "";

    private static string Locks(Measured measured, Plan fullLength)
    {
        var largest = NumberText.Of(Math.Floor(fullLength.LargestPrefetch));
        var keeps = $"A full buffer keeps its locks up to a prefetch count of {largest}.";
        var lost = measured.Final.LockLost;
        return lost > 0
            ? $"Locks are lost: {NumberText.Of((double)lost)} settlements are refused. {keeps}"
            : $"No lock is lost. {keeps}";
    }

    private static IEnumerable<Html> LeftOut(StagePlan plan) =>
        SimulatedSetting.LeftOut(plan).Select(sentence => Html.Of($"<p class=\"note\">{sentence}</p>"));
}
