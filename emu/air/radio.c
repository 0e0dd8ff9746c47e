/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/air/radio.h"

#include <math.h>

#define PI 3.14159265358979323846
#define LIGHT 299792458.0 /* m/s */

const struct wt_radio wt_radio_default = {
	.power = 0.28183815, .frequency = 914e6, .height = 1.5, .gain = 1, .loss = 1, .receive = 3.652e-10, .sense = 1.559e-11, .capture = 10,
};

static double wavelength(const struct wt_radio *radio)
{
	return LIGHT / radio->frequency;
}

/* Squared: where both models agree. */
static double cross_over(const struct wt_radio *radio)
{
	double distance = 4 * PI * radio->height * radio->height / wavelength(radio);

	return distance * distance;
}

double wt_radio_power(const struct wt_radio *radio, double square)
{
	double sent = radio->power * radio->gain * radio->gain / radio->loss;
	double part = wavelength(radio) / (4 * PI), heights = radio->height * radio->height;

	if (square < cross_over(radio))
		return square > 0 ? sent * part * part / square : sent;
	return sent * heights * heights / (square * square);
}

double wt_radio_reach(const struct wt_radio *radio, double least)
{
	double sent = radio->power * radio->gain * radio->gain / radio->loss;
	double square = radio->height * radio->height * sqrt(sent / least), part = wavelength(radio) / (4 * PI);

	return square < cross_over(radio) ? part * sqrt(sent / least) : sqrt(square);
}

wt_time wt_radio_delay(double square)
{
	double ns = sqrt(square) / LIGHT * 1e9;
	wt_time delay = (wt_time)ns;

	if ((double)delay < ns)
		delay++;
	return delay > 0 ? delay : 1;
}
